import { describe, expect, it } from "vitest";
import {
  AcpClient,
  InvalidArgumentError,
  ProtocolViolation,
  RemoteError,
  StartError,
  TimeoutError,
  UnsupportedVersionError,
} from "../../src/entries/dragoman.ts";
import type { TapEvent } from "../../src/transport/wire/index.ts";
import { RpcError } from "../../src/transport/rpc/index.ts";
import { memoryPair } from "../../src/entries/wire.ts";
import { connect, deferred, endTurn, everything, FakeAgent, initialized } from "./fake-agent.ts";

/** The error that a promise rejects with. */
async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail("the promise should have rejected"),
    (error: unknown) => error,
  );
}

describe("starting an agent", () => {
  it("sends the client's name and capabilities", async () => {
    const agent = new FakeAgent();
    await connect(agent);
    expect(agent.received[0]).toMatchObject({
      method: "initialize",
      params: {
        protocolVersion: 1,
        clientInfo: { name: "dragoman" },
        clientCapabilities: {
          fs: { readTextFile: true, writeTextFile: false },
          terminal: false,
          session: { configOptions: { boolean: {} } },
        },
      },
    });
  });

  it("sends the application's name and capabilities if they are configured", async () => {
    const agent = new FakeAgent();
    await connect(agent, {
      clientInfo: { name: "editor", version: "2" },
      capabilities: { fs: { writeTextFile: true }, session: { notices: {} } },
      terminalLogin: true,
    });
    expect(agent.paramsOf("initialize")[0]).toMatchObject({
      clientInfo: { name: "editor", version: "2" },
      clientCapabilities: {
        fs: { readTextFile: true, writeTextFile: true },
        auth: { terminal: true },
        session: { configOptions: { boolean: {} }, notices: {} },
      },
    });
  });

  it("returns the agent's description of itself", async () => {
    const authMethods = [{ id: "key", name: "API key" }];
    const agent = new FakeAgent({
      initialize: () => initialized({ ...everything, custom: { x: 1 } }, { authMethods }),
    });
    const client = await connect(agent);
    expect(client.agent).toMatchObject({
      info: { name: "fake", version: "1.0.0" },
      protocolVersion: 1,
      dialect: "canonical",
      authMethods,
      capabilities: { loadSession: true, sessionCapabilities: { list: {}, close: {} } },
      raw: { agentCapabilities: { custom: { x: 1 } } },
    });
  });

  it.each([0, 2, 99])(
    "fails for protocol version %d, and the error names both versions",
    async (protocolVersion) => {
      const agent = new FakeAgent({ initialize: () => initialized({}, { protocolVersion }) });
      const error = await failure(connect(agent));
      expect(error).toBeInstanceOf(StartError);
      expect(error).toMatchObject({ cause: expect.any(UnsupportedVersionError) });
      expect(error).toMatchObject({ cause: { offered: protocolVersion, spoken: 1 } });
      expect(String(error)).toMatch(new RegExp(`version ${protocolVersion} .*version 1`));
      expect(await agent.peer.closed).toEqual({ kind: "ended" });
    },
  );

  it("fails with the agent's error", async () => {
    const agent = new FakeAgent({
      initialize: () => {
        throw new RpcError(-32603, "no licence");
      },
    });
    const error = await failure(connect(agent));
    expect(error).toMatchObject({ name: "StartError", cause: expect.any(RemoteError) });
    expect(String(error)).toContain("no licence");
  });

  it("reports what is wrong with a malformed answer", async () => {
    const agent = new FakeAgent({ initialize: () => ({ protocolVersion: "one" }) });
    const error = await failure(connect(agent));
    expect(error).toMatchObject({ cause: expect.any(ProtocolViolation) });
    expect(String(error)).toContain("protocolVersion");
  });

  it("times out, and cancels the request first", async () => {
    const agent = new FakeAgent({ initialize: (_, { signal }) => untilAborted(signal) });
    const aborted = deferred();
    function untilAborted(signal: AbortSignal): Promise<never> {
      signal.addEventListener("abort", () => aborted.resolve());
      return new Promise(() => {});
    }
    const error = await failure(connect(agent, { timeouts: { startMs: 30 } }));
    expect(error).toMatchObject({ cause: expect.any(TimeoutError) });
    expect(error).toMatchObject({ cause: { limit: "startMs", ms: 30 } });
    await aborted.promise;
    expect(agent.lines.some((line) => line.includes("$/cancel_request"))).toBe(true);
  });

  it("reports that the agent closed the connection", async () => {
    const agent: FakeAgent = new FakeAgent({ initialize: () => agent.peer.close() });
    const error = await failure(connect(agent));
    expect(error).toMatchObject({ cause: { name: "ConnectionError", reason: { kind: "ended" } } });
  });

  const [channel] = memoryPair();
  it.each([
    ["no configuration", undefined, "must be an object"],
    ["a command as its configuration", "agent", "must be an object"],
    ["neither a command nor a channel", {}, "exactly one of command, channel and url"],
    ["both a command and a channel", { command: "x", channel }, "exactly one"],
    ["a list as its command", { command: ["x", "-y"] }, 'the arguments belong in "args"'],
    ["an empty command", { command: "" }, "command must be"],
    ["text as its arguments", { command: "x", args: "-y" }, "args must be a list"],
    ["a negative timeout", { command: "x", timeouts: { requestMs: -1 } }, "timeouts.requestMs"],
    ["a timeout with a unit", { command: "x", timeouts: { turnMs: "5s" } }, "milliseconds"],
    ["a timeout as text", { command: "x", timeouts: { turnMs: "5" } }, "timeouts.turnMs"],
    ["no room for updates", { command: "x", maxBuffered: 0 }, "maxBuffered"],
    ["text as its limit for updates", { command: "x", maxBuffered: "10" }, "maxBuffered"],
  ])("fails with %s", async (_, config, message) => {
    // @ts-expect-error -- a JavaScript program might pass this
    const error = await failure(AcpClient.start(config));
    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(String(error)).toContain(message);
  });

  it("shows every line to the tap", async () => {
    const seen: TapEvent[] = [];
    const agent = new FakeAgent({ "session/prompt": () => endTurn });
    const client = await connect(agent, { tap: (event) => seen.push(event) });
    const session = await client.newSession({ cwd: "/project" });
    await session.prompt("hello").result;
    await client.close();
    const methods = seen.map(({ direction, line }) => {
      const { method } = JSON.parse(line) as { method?: string };
      return `${direction} ${method ?? "answer"}`;
    });
    expect(methods).toEqual([
      "out initialize",
      "in answer",
      "out session/new",
      "in answer",
      "out session/prompt",
      "in answer",
    ]);
  });
});

describe("the dialect", () => {
  it("is detected for an agent that speaks crow", async () => {
    const [ours, theirs] = memoryPair();
    ours.open((line) => {
      const { id, method, params } = JSON.parse(line) as {
        id: number;
        method: string;
        params: Record<string, unknown>;
      };
      const answer = (result: unknown) =>
        void ours.send(JSON.stringify({ jsonrpc: "2.0", id, result }));
      if (method === "initialize" && params["protocol_version"] === undefined) {
        const error = { code: -32602, message: "protocol_version is missing" };
        void ours.send(JSON.stringify({ jsonrpc: "2.0", id, error }));
      } else if (method === "initialize") {
        answer({ protocol_version: 1, agent_capabilities: { load_session: true } });
      } else if (method === "session/new") {
        answer({ sessionId: "c1" });
      } else if (method === "session/prompt") {
        const update = { "@type": "agent_message_text", text: "caw" };
        const message = { method: "session/update", params: { sessionId: "c1", update } };
        void ours.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
        answer({ stop_reason: params["session_id"] === "c1" ? "end_turn" : "refusal" });
      }
    });
    const client = await AcpClient.start({ channel: theirs });
    expect(client.agent).toMatchObject({
      dialect: "crow",
      capabilities: { loadSession: true },
    });
    const session = await client.newSession({ cwd: "/project" });
    const turn = session.prompt("hi");
    expect(await turn.text()).toBe("caw");
    expect(await turn.result).toMatchObject(endTurn);
  });
});
