import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadSettings, type LoadOptions } from "../../../src/cli/settings/load.ts";
import { configFolder, stateFolder } from "../../../src/wire/index.ts";
import { SessionStore } from "../../../src/cli/session/last-session.ts";
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
const load = (options: Partial<LoadOptions> = {}) =>
  loadSettings(fakeIo({ cwd, home }), {
    file: undefined,
    cwd,
    trustProject: false,
    ask: undefined,
    ...options,
  });
const names = async (options: Partial<LoadOptions> = {}) => [
  ...(await load(options)).agents.keys(),
];

describe("settings files", () => {
  it("need not exist", async () => {
    expect(await load()).toMatchObject({ files: [], notes: [] });
  });

  it("of the user are read", async () => {
    await user(agents("a", "b"));
    expect(await names()).toEqual(["a", "b"]);
  });

  it("with fields that mean nothing here are read, and one line says so", async () => {
    await user(
      JSON.stringify({
        $schema: "x",
        theme: "dark",
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
      `${join(home, ".config/dragoman/settings.json")}: ignored, since unknown here: mcpServers (is "mcp_servers" meant?), agent_servers.a.arg (is "args" meant?), theme and 3 more`,
    ]);
  });

  it("of the project that go away while they are asked about are ignored", async () => {
    await project(agents("a"));
    const ask = async () => {
      await rm(join(cwd, ".dragoman"), { recursive: true });
      return true;
    };
    const { agents: found, notes } = await load({ ask });
    expect([...found.keys()]).toEqual([]);
    expect(notes).toEqual([".dragoman/settings.json is ignored: it is gone"]);
  });

  it("of the project are used though the trust in them cannot be kept, and that is said", async () => {
    await project(agents("a"));
    await writeFile(join(home, ".local"), "");
    const { agents: found, notes } = await load({ trustProject: true });
    expect([...found.keys()]).toEqual(["a"]);
    expect(notes).toEqual([expect.stringContaining("is trusted cannot be kept: ")]);
  });

  it("of the project are ignored until trusted, with a line that names the flag", async () => {
    await project(agents("evil"));
    await user(agents("mine"));
    const { agents: found, notes } = await load();
    expect([...found.keys()]).toEqual(["mine"]);
    expect(notes).toEqual([
      expect.stringMatching(/\.dragoman.settings\.json is ignored.*--trust-project/),
    ]);
  });

  it("of a project that is not trusted need not even be valid", async () => {
    await project("{ broken");
    expect(await names()).toEqual([]);
    await expect(load({ trustProject: true })).rejects.toThrow("is not valid JSON");
  });

  it("come first once trusted, and stay trusted", async () => {
    await project(agents("theirs"));
    await user(agents("mine"));
    expect(await names({ trustProject: true })).toEqual(["theirs", "mine"]);
    expect(await names()).toEqual(["theirs", "mine"]);
  });

  it("are not trusted any more after a change", async () => {
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

  it("are asked about where somebody can be asked", async () => {
    await project(agents("theirs"));
    const asked: string[] = [];
    const ask =
      (answer: boolean): LoadOptions["ask"] =>
      ({ file, settings }) => {
        asked.push(file, ...settings.agents.keys());
        return Promise.resolve(answer);
      };
    const refused = await load({ ask: ask(false) });
    expect(refused.agents.size).toBe(0);
    expect(refused.notes).toEqual([expect.stringContaining("not trusted")]);
    expect(asked).toEqual([join(cwd, ".dragoman/settings.json"), "theirs"]);
    expect(await names({ ask: ask(true) })).toEqual(["theirs"]);
    asked.length = 0;
    expect(await names({ ask: ask(false) })).toEqual(["theirs"]);
    expect(asked).toEqual([]);
  });

  it("of --settings are used alone", async () => {
    await user(agents("mine"));
    await writeFile(join(cwd, "s.json"), agents("given"));
    expect(await names({ file: "s.json" })).toEqual(["given"]);
  });

  it("of --settings must exist and be readable", async () => {
    await expect(load({ file: "gone.json" })).rejects.toThrow("gone.json: no such settings file");
    await expect(load({ file: "." })).rejects.toThrow(". cannot be read");
  });

  it("that cannot be read are an error", async () => {
    if (process.getuid?.() === 0) return;
    await user(agents("mine"));
    await chmod(join(home, ".config/dragoman/settings.json"), 0);
    await expect(load()).rejects.toThrow("cannot be read");
  });
});

describe("folders", () => {
  it.each([
    [{}, "linux", "/h/.config/dragoman", "/h/.local/state/dragoman"],
    [{ XDG_CONFIG_HOME: "/c", XDG_STATE_HOME: "/s" }, "linux", "/c/dragoman", "/s/dragoman"],
    [{ XDG_CONFIG_HOME: "relative" }, "linux", "/h/.config/dragoman", "/h/.local/state/dragoman"],
    [{}, "darwin", "/h/Library/Preferences/dragoman", "/h/Library/Application Support/dragoman"],
    [{ APPDATA: "/r", LOCALAPPDATA: "/l" }, "win32", "/r/dragoman/Config", "/l/dragoman/State"],
  ] as const)("with %j on %s", (env, platform, config, state) => {
    const io = { env, home: "/h", platform };
    expect([configFolder(io), stateFolder(io)]).toEqual([config, state]);
  });
});

describe("the last session", () => {
  it("is remembered by agent and folder", async () => {
    const store = new SessionStore(fakeIo({ home }));
    await store.remember("a", "/x", { sessionId: "1", at: "t" });
    await store.remember("a", "/y", { sessionId: "2", at: "t" });
    await store.remember("a", "/x", { sessionId: "3", at: "u" });
    expect(await store.last("a", "/x")).toEqual({ sessionId: "3", at: "u" });
    expect(await store.last("a", "/y")).toEqual({ sessionId: "2", at: "t" });
    expect(await store.last("b", "/x")).toBeUndefined();
  });

  it("leaves no partial files, also when many write at once", async () => {
    const store = new SessionStore(fakeIo({ home }));
    const writes = Array.from({ length: 50 }, (_, n) =>
      store.remember("a", "/x", { sessionId: String(n), at: "t" }),
    );
    await Promise.all(writes);
    expect(await store.last("a", "/x")).toMatchObject({ at: "t" });
    expect(await readdir(join(home, ".local/state/dragoman/last-session"))).toHaveLength(1);
  });

  it("is forgotten when its file is broken", async () => {
    const store = new SessionStore(fakeIo({ home }));
    await store.remember("a", "/x", { sessionId: "1", at: "t" });
    const folder = join(home, ".local/state/dragoman/last-session");
    const [file] = await readdir(folder);
    for (const text of ["", "[]", '{"sessionId":1}']) {
      await writeFile(join(folder, String(file)), text);
      expect(await store.last("a", "/x")).toBeUndefined();
    }
  });
});
