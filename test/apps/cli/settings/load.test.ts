import { execFileSync } from "node:child_process";
import { chmod, mkdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import {
  loadSettings,
  readOwnSettings,
  type LoadOptions,
} from "../../../../src/apps/cli/settings/load.ts";
import { foldersForEach } from "../commands/setup.ts";
import { fakeIo } from "../support/io.ts";

const folders = foldersForEach();
beforeEach(async () => {
  await mkdir(join(folders.home, ".config/dragoman"), { recursive: true });
  await mkdir(join(folders.cwd, ".dragoman"), { recursive: true });
});

const agents = (...names: string[]) =>
  JSON.stringify({
    agent_servers: Object.fromEntries(names.map((name) => [name, { command: name }])),
  });
const userFile = () => join(folders.home, ".config/dragoman/settings.json");
const projectFile = () => join(folders.cwd, ".dragoman/settings.json");
const user = (text: string) => writeFile(userFile(), text);
const project = (text: string) => writeFile(projectFile(), text);
type Options = Partial<LoadOptions> & { readonly file?: string };
const load = async ({ file, ...options }: Options = {}) => {
  const io = fakeIo(folders);
  return loadSettings(io, {
    own: await readOwnSettings(io, file),
    cwd: folders.cwd,
    trustProject: false,
    ask: undefined,
    ...options,
  });
};
const names = async (options: Options = {}) => [...(await load(options)).agents.keys()];
/** Expects the names of the agents that are loaded, and the notes. */
const expectLoaded = async (options: Options, found: string[], note: unknown) => {
  const loaded = await load(options);
  expect([...loaded.agents.keys()]).toEqual(found);
  expect(loaded.notes).toEqual([note]);
};
const ignored = (why: string): unknown =>
  expect.stringContaining(`.dragoman/settings.json is ignored: ${why}`);

describe("settings files", () => {
  it("are optional", async () => {
    expect(await load()).toMatchObject({ files: [], notes: [] });
  });

  it("of the user are loaded", async () => {
    await user(agents("a", "b"));
    expect(await names()).toEqual(["a", "b"]);
  });

  it("with unknown fields are loaded, with a note of one line", async () => {
    await user(
      JSON.stringify({
        $schema: "x",
        theme: { mode: "system" },
        vim_mode: true,
        ui_font_size: 16,
        agent_servers: { a: { command: "x", arg: ["y"] } },
        mcpServers: [],
        mcp_servers: [{ name: "m", command: "c", headers: {} }],
      }),
    );
    await expectLoaded(
      {},
      ["a"],

      `${userFile()}: unknown fields are ignored: mcpServers (did you mean "mcp_servers"?), agent_servers.a.arg (did you mean "args"?), vim_mode and 3 more`,
    );
  });

  it("of the project that are deleted during the question are ignored", async () => {
    await project(agents("a"));
    const ask = async () => {
      await rm(join(folders.cwd, ".dragoman"), { recursive: true });
      return true;
    };
    await expectLoaded({ ask }, [], ".dragoman/settings.json is ignored: it no longer exists");
  });

  it("of the project are used, with a note, even if the trust decision cannot be saved", async () => {
    await project(agents("a"));
    await writeFile(join(folders.home, ".local"), "");
    await expectLoaded(
      { trustProject: true },
      ["a"],
      expect.stringContaining("could not save the trust decision for "),
    );
  });

  it("of the project are ignored until trusted, with a note that names the flag", async () => {
    await project(agents("evil"));
    await user(agents("mine"));
    await expectLoaded(
      {},
      ["mine"],
      expect.stringMatching(/\.dragoman.settings\.json is ignored.*--trust-project/),
    );
  });

  it("of a project that is not trusted may be invalid", async () => {
    await project("{ broken");
    expect(await names()).toEqual([]);
    await expect(load({ trustProject: true })).rejects.toThrow("is not valid JSON");
  });

  it("of the project come first once trusted, and stay trusted", async () => {
    await project(agents("theirs"));
    await user(agents("mine"));
    expect(await names({ trustProject: true })).toEqual(["theirs", "mine"]);
    expect(await names()).toEqual(["theirs", "mine"]);
  });

  it("are not trusted anymore after a change", async () => {
    await project(agents("theirs"));
    await load({ trustProject: true });
    await project(agents("theirs", "evil"));
    expect(await names()).toEqual([]);
  });

  it("are not trusted in another folder, nor through a link to a trusted one", async () => {
    await project(agents("theirs"));
    await load({ trustProject: true });
    const other = join(folders.home, "other");
    await mkdir(join(other, ".dragoman"), { recursive: true });
    await writeFile(join(other, ".dragoman/settings.json"), agents("theirs"));
    expect(await names({ cwd: other })).toEqual([]);
    const linked = join(folders.home, "linked");
    await mkdir(linked);
    await symlink(join(other, ".dragoman"), join(linked, ".dragoman"));
    expect(await names({ cwd: linked })).toEqual([]);
  });

  it("are not trusted through a link from a hostile folder to a trusted one", async () => {
    await project(agents("./agent.mjs"));
    await load({ trustProject: true });
    const hostile = join(folders.home, "hostile");
    await mkdir(hostile);
    await symlink(join(folders.cwd, ".dragoman"), join(hostile, ".dragoman"));
    const ask = () => Promise.reject(new Error("asked"));
    for (const options of [{}, { trustProject: true }, { ask }]) {
      await expectLoaded(
        { cwd: hostile, ...options },
        [],

        `.dragoman/settings.json is ignored: a link leads out of this folder, to ${await realpath(projectFile())}; use --settings for that file`,
      );
    }
  });

  it("are not trusted if only the file is a link to another folder, or the folder lies below a trusted one", async () => {
    await project(agents("theirs"));
    await load({ trustProject: true });
    for (const hostile of [
      join(folders.home, "hostile"),
      join(folders.cwd, "nested"),
      `${folders.cwd}-2`,
    ]) {
      await mkdir(join(hostile, ".dragoman"), { recursive: true });
      await symlink(projectFile(), join(hostile, ".dragoman/settings.json"));
      expect(await names({ cwd: hostile, trustProject: true })).toEqual([]);
    }
  });

  it("stay trusted through a link to the folder itself, and through a link inside the folder", async () => {
    await mkdir(join(folders.cwd, "config"));
    await writeFile(join(folders.cwd, "config/settings.json"), agents("theirs"));
    await symlink("../config/settings.json", projectFile());
    await load({ trustProject: true });
    await symlink(folders.cwd, join(folders.home, "linked"));
    expect(await names({ cwd: join(folders.home, "linked") })).toEqual(["theirs"]);
  });

  it.each([
    ["a pipe", "it is a pipe, not a file"],
    ["a folder", "it is a folder, not a file"],
    ["too large", "it is larger than 1 MiB"],
    ["a link to a device", "a link leads out of this folder, to /dev/zero"],
  ])("of the project are ignored, with a note, if the file is %s", async (what, why) => {
    const file = projectFile();
    if (what === "a pipe") execFileSync("mkfifo", [file]);
    if (what === "a folder") await mkdir(file);
    if (what === "too large") await writeFile(file, `${agents("a")}${" ".repeat(1024 * 1024)}`);
    if (what === "a link to a device") await symlink("/dev/zero", file);
    await user(agents("mine"));
    for (const trustProject of [false, true]) {
      await expectLoaded({ trustProject }, ["mine"], ignored(why));
    }
  });

  it.each(["pipe", "device"])("of the user must be a regular file (%s)", async (what) => {
    const file = userFile();
    if (what === "pipe") execFileSync("mkfifo", [file]);
    else await symlink("/dev/zero", file);
    await expect(load()).rejects.toThrow(`${file} is a ${what}, not a file`);
    await expect(load({ file })).rejects.toThrow(`${file} is a ${what}, not a file`);
  });

  it("of the user may be a link, as managers of dotfiles make them", async () => {
    await writeFile(join(folders.home, "dotfile.json"), agents("mine"));
    await symlink(join(folders.home, "dotfile.json"), userFile());
    expect(await names()).toEqual(["mine"]);
  });

  it("of the project are used once the user accepts them, without asking again", async () => {
    await project(agents("theirs"));
    const asked: string[] = [];
    const ask =
      (answer: boolean): LoadOptions["ask"] =>
      ({ file, settings }) => {
        asked.push(file, ...settings.agents.keys());
        return Promise.resolve(answer);
      };
    const declined = await load({ ask: ask(false) });
    expect(declined.agents.size).toBe(0);
    expect(declined.notes).toEqual([expect.stringContaining("you did not trust it")]);
    expect(asked).toEqual([projectFile(), "theirs"]);
    expect(await names({ ask: ask(true) })).toEqual(["theirs"]);
    asked.length = 0;
    expect(await names({ ask: ask(false) })).toEqual(["theirs"]);
    expect(asked).toEqual([]);
  });

  it("from --settings replace all others", async () => {
    await user(agents("mine"));
    await writeFile(join(folders.cwd, "s.json"), agents("given"));
    expect(await names({ file: "s.json" })).toEqual(["given"]);
  });

  it("from --settings must exist and be readable", async () => {
    await expect(load({ file: "gone.json" })).rejects.toThrow("gone.json: no such settings file");
    await expect(load({ file: "." })).rejects.toThrow(". is a folder, not a file");
  });

  it("that cannot be read are an error", async () => {
    if (process.getuid?.() === 0) return;
    await user(agents("mine"));
    await chmod(userFile(), 0);
    await expect(load()).rejects.toThrow("could not read ");
  });
});
