import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runInTerminal } from "../../src/client/platform.ts";
import { AcpClient } from "../../src/entries/dragoman.ts";
import type { CommandLine } from "../../src/base/index.ts";
import { RpcError } from "../../src/transport/rpc/index.ts";
import { connect, everything, FakeAgent, initialized } from "./fake-agent.ts";

const agentMethod = { id: "key", name: "API key" };
const terminalMethod = {
  type: "terminal",
  id: "browser",
  name: "Log in",
  args: ["--login"],
  env: { LOGIN: "1" },
};
const authMethods = [agentMethod, terminalMethod];

describe("signing in", () => {
  it("calls a method that the agent offers", async () => {
    const agent = new FakeAgent({
      initialize: () => initialized({}, { authMethods }),
      authenticate: () => ({}),
    });
    const client = await connect(agent);
    await client.authenticate("key");
    expect(agent.paramsOf("authenticate")).toEqual([{ methodId: "key" }]);
  });

  it("fails for a method that the agent does not offer or that runs in a terminal", async () => {
    const agent = new FakeAgent({ initialize: () => initialized({}, { authMethods }) });
    const client = await connect(agent);
    await expect(client.authenticate("magic")).rejects.toThrow(/"magic".*key, browser/);
    await expect(client.authenticate("browser")).rejects.toMatchObject({
      code: "invalid_argument",
    });
    await expect(client.terminalLogin("key")).rejects.toMatchObject({ code: "invalid_argument" });
    await expect(client.terminalLogin("browser")).rejects.toThrow("command");
    expect(agent.paramsOf("authenticate")).toEqual([]);
  });

  it("is reported as required, with the methods the agent offers", async () => {
    const agent = new FakeAgent({
      initialize: () => initialized({}, { authMethods }),
      "session/new": () => {
        throw new RpcError(-32000, "Authentication required");
      },
    });
    const client = await connect(agent);
    await expect(client.newSession({ cwd: "/project" })).rejects.toMatchObject({
      name: "AuthRequiredError",
      code: "auth_required",
      methods: authMethods,
      cause: { rpcCode: -32000 },
    });
  });

  it("has no time limit and can be aborted", async () => {
    const agent = new FakeAgent({
      initialize: () => initialized({}, { authMethods }),
      authenticate: () => new Promise(() => {}),
      "session/new": () => new Promise(() => {}),
    });
    const client = await connect(agent, { timeouts: { requestMs: 10 } });
    const controller = new AbortController();
    const login = client.authenticate("key", { signal: controller.signal });
    await expect(client.newSession({ cwd: "/p" })).rejects.toMatchObject({ limit: "requestMs" });
    controller.abort();
    await expect(login).rejects.toMatchObject({ name: "CallCancelledError" });
  });
});

describe("signing out", () => {
  it("fails if the agent does not support it", async () => {
    const client = await connect(new FakeAgent());
    await expect(client.logout()).rejects.toMatchObject({
      name: "CapabilityError",
      capability: "auth.logout",
    });
  });

  it("calls the agent if it supports it", async () => {
    const agent = new FakeAgent({
      initialize: () => initialized(everything),
      logout: () => null,
    });
    const client = await connect(agent);
    await client.logout();
    expect(agent.paramsOf("logout")).toEqual([{}]);
  });
});

describe("signing in with a command", () => {
  const script = fileURLToPath(new URL("../support/agents/misbehaving.mjs", import.meta.url));
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "dragoman-login-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("runs the agent's own command and restarts the agent", async () => {
    const ran: CommandLine[] = [];
    const client = await AcpClient.start({
      command: process.execPath,
      args: [script, "terminal-login"],
      env: { ONE: "1" },
      terminalLogin: async (line) => {
        ran.push(line);
        return { code: 0, signal: null };
      },
    });
    const restarted = await client.terminalLogin("browser");
    expect(ran).toEqual([
      {
        command: process.execPath,
        args: [script, "terminal-login", "--login"],
        env: { ONE: "1", LOGIN: "1" },
      },
    ]);
    expect(await client.closed).toMatchObject({ kind: "closed" });
    expect(restarted.agent.info).toEqual(client.agent.info);
    await restarted.close();
  });

  it("keeps the client usable if the command fails", async () => {
    const client = await AcpClient.start({
      command: process.execPath,
      args: [script, "terminal-login"],
      terminalLogin: async () => ({ code: 3, signal: null }),
    });
    await expect(client.terminalLogin("browser")).rejects.toMatchObject({
      name: "LoginError",
      exit: { code: 3 },
    });
    await client.newSession({ cwd: folder });
  });

  it("runs a command in this terminal", async () => {
    const file = join(folder, "output");
    const write = `require("fs").writeFileSync(${JSON.stringify(file)}, process.env.WORD); process.exit(4)`;
    const line = { command: process.execPath, args: ["-e", write], env: { WORD: "hello" } };
    expect(await runInTerminal(line)).toEqual({ code: 4, signal: null });
    expect(await readFile(file, "utf8")).toBe("hello");
    await expect(runInTerminal({ command: "no-such-command-anywhere" })).rejects.toMatchObject({
      name: "SpawnError",
      failure: "not-found",
    });
  });
});
