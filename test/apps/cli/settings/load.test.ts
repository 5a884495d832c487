import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  loadSettings,
  readOwnSettings,
  type LoadOptions,
} from "../../../../src/apps/cli/settings/load.ts";
import { fakeIo } from "../support/io.ts";

let scratch: string;
let home: string;
let cwd: string;

beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), "dragoman-settings-"));
  home = join(scratch, "home");
  cwd = join(scratch, "project");
  await mkdir(join(home, ".config/dragoman"), { recursive: true });
  await mkdir(join(cwd, ".dragoman"), { recursive: true });
});
afterEach(async () => {
  await rm(scratch, { recursive: true, force: true });
});

const agents = (...names: string[]) =>
  JSON.stringify({
    agent_servers: Object.fromEntries(names.map((name) => [name, { command: name }])),
  });
const user = (text: string) => writeFile(join(home, ".config/dragoman/settings.json"), text);
const project = (text: string) => writeFile(join(cwd, ".dragoman/settings.json"), text);
type Options = Partial<LoadOptions> & { readonly file?: string };
const load = async ({ file, ...options }: Options = {}) => {
  const io = fakeIo({ cwd, home });
  return loadSettings(io, {
    own: await readOwnSettings(io, file),
    cwd,
    trustProject: false,
    ask: undefined,
    ...options,
  });
};
const names = async (options: Options = {}) => [...(await load(options)).agents.keys()];

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
    const { agents: found, notes } = await load();
    expect([...found.keys()]).toEqual(["a"]);
    expect(notes).toEqual([
      `${join(home, ".config/dragoman/settings.json")}: unknown fields are ignored: mcpServers (did you mean "mcp_servers"?), agent_servers.a.arg (did you mean "args"?), vim_mode and 3 more`,
    ]);
  });

  it("of the project that are deleted during the question are ignored", async () => {
    await project(agents("a"));
    const ask = async () => {
      await rm(join(cwd, ".dragoman"), { recursive: true });
      return true;
    };
    const { agents: found, notes } = await load({ ask });
    expect([...found.keys()]).toEqual([]);
    expect(notes).toEqual([".dragoman/settings.json is ignored: it no longer exists"]);
  });

  it("of the project are used, with a note, even if the trust decision cannot be saved", async () => {
    await project(agents("a"));
    await writeFile(join(home, ".local"), "");
    const { agents: found, notes } = await load({ trustProject: true });
    expect([...found.keys()]).toEqual(["a"]);
    expect(notes).toEqual([expect.stringContaining("could not save the trust decision for ")]);
  });

  it("of the project are ignored until trusted, with a note that names the flag", async () => {
    await project(agents("evil"));
    await user(agents("mine"));
    const { agents: found, notes } = await load();
    expect([...found.keys()]).toEqual(["mine"]);
    expect(notes).toEqual([
      expect.stringMatching(/\.dragoman.settings\.json is ignored.*--trust-project/),
    ]);
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
    const other = join(scratch, "other");
    await mkdir(join(other, ".dragoman"), { recursive: true });
    await writeFile(join(other, ".dragoman/settings.json"), agents("theirs"));
    expect(await names({ cwd: other })).toEqual([]);
    const linked = join(scratch, "linked");
    await mkdir(linked);
    await symlink(join(other, ".dragoman"), join(linked, ".dragoman"));
    expect(await names({ cwd: linked })).toEqual([]);
  });

  it("are not trusted through a link from a hostile folder to a trusted one", async () => {
    await project(agents("./agent.mjs"));
    await load({ trustProject: true });
    const hostile = join(scratch, "hostile");
    await mkdir(hostile);
    await symlink(join(cwd, ".dragoman"), join(hostile, ".dragoman"));
    const ask = () => Promise.reject(new Error("asked"));
    for (const options of [{}, { trustProject: true }, { ask }]) {
      const { agents: found, notes } = await load({ cwd: hostile, ...options });
      expect([...found.keys()]).toEqual([]);
      expect(notes).toEqual([
        `.dragoman/settings.json is ignored: a link leads out of this folder, to ${await realpath(join(cwd, ".dragoman/settings.json"))}; use --settings for that file`,
      ]);
    }
  });

  it("are not trusted if only the file is a link to another folder, or the folder lies below a trusted one", async () => {
    await project(agents("theirs"));
    await load({ trustProject: true });
    for (const hostile of [join(scratch, "hostile"), join(cwd, "nested"), `${cwd}-2`]) {
      await mkdir(join(hostile, ".dragoman"), { recursive: true });
      await symlink(join(cwd, ".dragoman/settings.json"), join(hostile, ".dragoman/settings.json"));
      expect(await names({ cwd: hostile, trustProject: true })).toEqual([]);
    }
  });

  it("stay trusted through a link to the folder itself, and through a link inside the folder", async () => {
    await mkdir(join(cwd, "config"));
    await writeFile(join(cwd, "config/settings.json"), agents("theirs"));
    await symlink("../config/settings.json", join(cwd, ".dragoman/settings.json"));
    await load({ trustProject: true });
    await symlink(cwd, join(scratch, "linked"));
    expect(await names({ cwd: join(scratch, "linked") })).toEqual(["theirs"]);
  });

  it.each([
    ["a pipe", "it is a pipe, not a file"],
    ["a folder", "it is a folder, not a file"],
    ["too large", "it is larger than 1 MiB"],
    ["a link to a device", "a link leads out of this folder, to /dev/zero"],
  ])("of the project are ignored, with a note, if the file is %s", async (what, why) => {
    const file = join(cwd, ".dragoman/settings.json");
    if (what === "a pipe") execFileSync("mkfifo", [file]);
    if (what === "a folder") await mkdir(file);
    if (what === "too large") await writeFile(file, `${agents("a")}${" ".repeat(1024 * 1024)}`);
    if (what === "a link to a device") await symlink("/dev/zero", file);
    await user(agents("mine"));
    for (const trustProject of [false, true]) {
      const { agents: found, notes } = await load({ trustProject });
      expect([...found.keys()]).toEqual(["mine"]);
      expect(notes).toEqual([
        expect.stringContaining(`.dragoman/settings.json is ignored: ${why}`),
      ]);
    }
  });

  it.each(["pipe", "device"])("of the user must be a regular file (%s)", async (what) => {
    const file = join(home, ".config/dragoman/settings.json");
    if (what === "pipe") execFileSync("mkfifo", [file]);
    else await symlink("/dev/zero", file);
    await expect(load()).rejects.toThrow(`${file} is a ${what}, not a file`);
    await expect(load({ file })).rejects.toThrow(`${file} is a ${what}, not a file`);
  });

  it("of the user may be a link, as managers of dotfiles make them", async () => {
    await writeFile(join(scratch, "dotfile.json"), agents("mine"));
    await symlink(join(scratch, "dotfile.json"), join(home, ".config/dragoman/settings.json"));
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
    expect(asked).toEqual([join(cwd, ".dragoman/settings.json"), "theirs"]);
    expect(await names({ ask: ask(true) })).toEqual(["theirs"]);
    asked.length = 0;
    expect(await names({ ask: ask(false) })).toEqual(["theirs"]);
    expect(asked).toEqual([]);
  });

  it("from --settings replace all others", async () => {
    await user(agents("mine"));
    await writeFile(join(cwd, "s.json"), agents("given"));
    expect(await names({ file: "s.json" })).toEqual(["given"]);
  });

  it("from --settings must exist and be readable", async () => {
    await expect(load({ file: "gone.json" })).rejects.toThrow("gone.json: no such settings file");
    await expect(load({ file: "." })).rejects.toThrow(". is a folder, not a file");
  });

  it("that cannot be read are an error", async () => {
    if (process.getuid?.() === 0) return;
    await user(agents("mine"));
    await chmod(join(home, ".config/dragoman/settings.json"), 0);
    await expect(load()).rejects.toThrow("could not read ");
  });
});
