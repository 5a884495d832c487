// Agents on a server: --agent-url, --token-file, --remote-files, and settings with an address.
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { serveAgents } from "../../../../src/agent/index.ts";
import { listenRemote, type RemoteServer } from "../../../../src/transport/remote/index.ts";
import { run as runCli } from "../support/run.ts";
import { expectRefused, foldersForAll } from "../commands/setup.ts";

const TOKEN = "a-very-secret-token";
const folders = foldersForAll();
let server: RemoteServer<string>;
let served: Promise<void>;
let tokenFile: string;
const stop = new AbortController();
/** The frames that the agent got from its clients, newest last. */
const seen: { cwd: string; capabilities: unknown }[] = [];

beforeAll(async () => {
  server = await listenRemote({
    authorize: ({ token }) => (token === TOKEN ? token : undefined),
  });
  served = serveAgents(
    server,
    {
      info: { name: "far-agent", version: "1.0.0" },
      localWorkspaces: false,
      newSession: ({ cwd, client }) => {
        const { fs, terminal } = client.capabilities;
        seen.push({ cwd, capabilities: { fs, terminal } });
        return {};
      },
      listSessions: () => ({ sessions: [{ sessionId: "stored", cwd: "/srv/repo" }] }),
      prompt: (turn) => turn.say(`${turn.text} from afar, not ${TOKEN}`),
    },
    { signal: stop.signal },
  );
});
beforeEach(async () => {
  tokenFile = join(folders.home, "token");
  await writeFile(tokenFile, `${TOKEN}\n`, { mode: 0o600 });
  await chmod(tokenFile, 0o600);
});
afterAll(async () => {
  stop.abort();
  await served;
});

const run = (...argv: readonly string[]) => runCli(argv, folders);
/** The same with the server and its token. */
const far = (...argv: readonly string[]) =>
  run("--agent-url", server.url, "--token-file", tokenFile, ...argv);
const AFAR = { code: 0, out: expect.stringContaining("hello from afar") };
const NO_FILES = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };

describe("--agent-url", () => {
  it.each(["http", "ws"] as const)(
    "prompts an agent over %s, in a folder there",
    async (scheme) => {
      const url = scheme === "ws" ? server.webSocketUrl : server.url;
      const argv = ["--agent-url", url, "--token-file", "~/token", "-C", "/srv/repo"];
      expect(await run(...argv, "hello")).toMatchObject(AFAR);
      expect(seen.at(-1)).toEqual({ cwd: "/srv/repo", capabilities: NO_FILES });
    },
  );

  it("offers files and terminals with --remote-files", async () => {
    const done = await far("-C", folders.cwd, "--remote-files", "--exec", "hello");
    expect(done).toMatchObject({ code: 0, err: expect.stringContaining("--remote-files") });
    expect(seen.at(-1)?.capabilities).toMatchObject({ fs: { readTextFile: true }, terminal: true });
  });

  it("works in the current folder if the server is on this machine and names no root", async () => {
    expect(await far("hello")).toMatchObject(AFAR);
    expect(seen.at(-1)?.cwd).toBe(folders.cwd);
  });

  it.each([
    ["lists the sessions of the server", ["sessions", "list", "--all"], "/srv/repo"],
    ["is examined by the doctor", ["doctor", "-C", "/srv/repo"], "far-agent 1.0.0"],
  ])("%s", async (_what, argv, text) => {
    expect(await far(...argv)).toMatchObject({ code: 0, out: expect.stringContaining(text) });
  });

  it.each([
    ["another scheme", "ftp://127.0.0.1/"],
    ["a password", "http://me:secret@127.0.0.1/"],
    ["no address", "nonsense"],
  ])("is refused with %s", async (_name, url) => {
    const done = run("--agent-url", url, "hello");
    await expectRefused(done, "--agent-url must be");
    expect((await done).err).not.toContain("secret");
  });

  it("contradicts other choices", async () => {
    const done = run("--agent-url", server.url, "-a", "demo", "hello");
    await expectRefused(done, "--agent and --agent-url contradict each other");
  });

  it("fails with the status if the token is wrong, and shows no token", async () => {
    await writeFile(tokenFile, "another-secret-token");
    for (const url of [server.url, server.webSocketUrl]) {
      const done = await run("--agent-url", url, "--token-file", tokenFile, "-C", "/srv", "hello");
      expect(done).toMatchObject({ code: 6, last: expect.stringMatching(/401.*--token-file/) });
      expect(done.err).not.toContain("another-secret-token");
      const check = ["check", "--only", "ACP-INIT-001", "--agent-url", url];
      const checked = await run(...check, "--token-file", tokenFile);
      expect(checked.code).toBe(6);
      expect(checked.out).toContain("401");
    }
  });

  it("exits with 7 if no server listens at the address", async () => {
    for (const scheme of ["http", "ws"]) {
      await expectRefused(
        run("--agent-url", `${scheme}://127.0.0.1:1/acp`, "-C", "/srv", "hello"),
        "dragoman doctor",
        7,
      );
    }
  });
});

describe("--token-file", () => {
  it.runIf(process.platform !== "win32")("is refused if others can read it", async () => {
    await chmod(tokenFile, 0o640);
    await expectRefused(far("-C", "/srv", "hello"), "can be read by others");
  });

  it.each(["", "two words", "two\nlines"])("is refused if it holds %j", async (text) => {
    await writeFile(tokenFile, text);
    const done = far("-C", "/srv", "hello");
    await expectRefused(done, "does not hold a token");
    if (text !== "") expect((await done).err).not.toContain(text);
  });

  it("is refused if it is missing, or if the agent is not on a server", async () => {
    const missing = far("--token-file", join(folders.home, "missing"), "-C", "/srv", "hello");
    await expectRefused(missing, "no such token file");
    const local = run("-a", "demo", "--token-file", tokenFile, "hello");
    await expectRefused(local, "is for an agent on a server");
  });

  it("keeps the token out of recordings", async () => {
    const recording = join(folders.cwd, "far.jsonl");
    expect((await far("-C", "/srv", "--record", recording, "hello")).code).toBe(0);
    const text = await readFile(recording, "utf8");
    expect(text).toContain("from afar");
    expect(text).not.toContain(TOKEN);
  });
});

describe("settings with an address", () => {
  const settings = async (entry: object): Promise<string> => {
    const file = join(folders.home, "settings.json");
    await writeFile(file, JSON.stringify({ agent_servers: { far: entry } }));
    return file;
  };

  it("name an agent on a server, and the file with its token", async () => {
    const file = await settings({ url: server.url, token_file: "~/token" });
    expect(await run("--settings", file, "-C", "/srv/repo", "hello")).toMatchObject(AFAR);
    expect(seen.at(-1)).toEqual({ cwd: "/srv/repo", capabilities: NO_FILES });
    expect((await run("agents", "--settings", file)).out).toContain(server.url);
  });

  it("may have headers", async () => {
    const headers = { Authorization: `Bearer ${TOKEN}` };
    const file = await settings({ url: server.url, headers });
    expect((await run("--settings", file, "-C", "/srv", "hello")).code).toBe(0);
    const both = await settings({ url: server.url, headers, token_file: "~/token" });
    expect((await run("--settings", both, "-C", "/srv", "hello")).code).toBe(2);
  });

  it("are refused with another scheme", async () => {
    const file = await settings({ url: "ftp://127.0.0.1/" });
    const done = run("--settings", file, "-C", "/srv", "hello");
    await expectRefused(done, "agent_servers.far.url must be a ws, wss, http or https address");
  });
});
