import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { serveAgents } from "../../../../../src/agent/index.ts";
import type { SelectedAgent } from "../../../../../src/apps/cli/agents/select.ts";
import { GRAMMAR } from "../../../../../src/apps/cli/commands/grammar.ts";
import { proxyRules } from "../../../../../src/apps/cli/commands/proxy/command.ts";
import { openContext } from "../../../../../src/apps/cli/context/context.ts";
import type { PolicyRequest } from "../../../../../src/host/hub/index.ts";
import { listenRemote } from "../../../../../src/transport/remote/index.ts";
import { Editor } from "../../../../host/hub/editor.ts";
import { fakeIo } from "../../support/io.ts";
import { builtBin, foldersForAll } from "../setup.ts";

const folders = foldersForAll();
const bin = builtBin();

const NO_FILES = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };
const local: SelectedAgent = {
  name: "x",
  command: "x",
  args: [],
  env: {},
  switches: {},
  from: "command line",
  entry: undefined,
};
const remote: SelectedAgent = { ...local, remote: { url: "ws://127.0.0.1:9/acp", headers: {} } };
const session = {
  sessionId: "s",
  agent: "x",
  owner: "client",
  roots: ["/srv"],
  protocolVersion: 1,
};

/** The rules of these arguments. */
async function rulesOf(agent: SelectedAgent, ...argv: string[]) {
  const { values } = GRAMMAR.parse(["proxy", ...argv]);
  const context = await openContext(fakeIo(folders), values);
  try {
    return await proxyRules(context, agent);
  } finally {
    context.dispose();
  }
}

const request = (method: string): PolicyRequest => ({
  method,
  params: { sessionId: "s", path: "/srv/a" },
  signal: new AbortController().signal,
  ask: () => Promise.reject(new Error("no client")),
});

describe("the rules of a proxy", () => {
  it("change nothing without options", async () => {
    const { options } = await rulesOf(local);
    expect(options).toEqual({});
  });

  it.each(["fs/read_text_file", "fs/write_text_file", "terminal/create", "terminal/output"])(
    "refuse %s to an agent on a server",
    async (method) => {
      const { options } = await rulesOf(remote);
      expect(options.capabilities?.({ terminal: true, _meta: { a: 1 } })).toEqual({
        ...NO_FILES,
        _meta: { a: 1 },
      });
      const policy = options.policy?.(session);
      expect(await policy?.request(request(method))).toMatchObject({ kind: "error", code: -32601 });
      const other = await policy?.request(request("session/request_permission"));
      expect(other).toEqual({ kind: "forward" });
      await policy?.close();
    },
  );

  it("offer them with --remote-files", async () => {
    const { options } = await rulesOf(remote, "--remote-files");
    expect(options).toEqual({});
  });

  it("send sessions to the folder of -C on a server, and only there", async () => {
    const open = { method: "session/new", params: { cwd: "/home/me", a: 1 } };
    const agent = { name: "x", key: "x", open: () => Promise.reject(new Error("unused")) };
    const there = await rulesOf(remote, "-C", "/srv/repo");
    const client = { agent, owner: "client" };
    expect(await there.options.checkOpen?.({ ...open, client })).toEqual({
      cwd: "/srv/repo",
      a: 1,
    });
    expect((await rulesOf(local, "-C", ".")).options.checkOpen).toBeUndefined();
  });

  it("keep an audit log in the state folder if there are rules", async () => {
    await writeFile(join(folders.cwd, "rules.json"), '{"version":1,"rules":[]}');
    const rules = await rulesOf(local, "--permissions", "rules.json");
    await rules.close();
    const file = join(folders.home, ".local/state/dragoman/audit.jsonl");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, "utf8")).toBe("");
  });

  it.each([
    [["--permissions", "none.json"], /none\.json/],
    [["--permissions", "broken.json"], /broken\.json/],
    [["--audit-log", "/dev/null/x"], /^could not open the audit log \/dev\/null\/x: /],
  ])("%j is a usage error", async (argv, message) => {
    await writeFile(join(folders.cwd, "broken.json"), "{");
    await expect(rulesOf(local, ...argv)).rejects.toThrow(message);
  });
});

it("a proxy gives an editor an agent on a server, in a folder there", async () => {
  const token = "a-very-secret-token";
  const file = join(folders.home, "token");
  await writeFile(file, token, { mode: 0o600 });
  await chmod(file, 0o600);
  const server = await listenRemote({ authorize: (given) => given.token === token || undefined });
  const seen: unknown[] = [];
  const stop = new AbortController();
  const served = serveAgents(
    server,
    {
      info: { name: "far", version: "1" },
      localWorkspaces: false,
      newSession: ({ cwd, client }) => {
        const { fs, terminal } = client.capabilities;
        seen.push({ cwd, fs, terminal });
        return {};
      },
      prompt: (turn) => turn.say(`${turn.text} from afar`),
    },
    { signal: stop.signal },
  );
  const argv = ["--agent-url", server.webSocketUrl, "--token-file", file, "-C", "/srv/repo"];
  const client = new Editor({
    command: [process.execPath, bin.file, "proxy", ...argv],
    pidFile: join(folders.home, "proxies"),
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: folders.home },
    cwd: folders.cwd,
    answer: async () => ({}),
  });
  await client.initialize();
  const sessionId = await client.newSession(folders.cwd);
  await client.prompt(sessionId, "hello");
  expect(client.text(sessionId)).toBe("hello from afar");
  expect(seen).toEqual([{ cwd: "/srv/repo", ...NO_FILES }]);
  client.end();
  expect(await client.ended).toBe(0);
  stop.abort();
  await served;
});
