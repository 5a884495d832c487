import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/base/index.ts";
import { agentChunk, type Sides, state, textBlock, updateOf, v2Client, watched } from "../sides.ts";

function client(agentCapabilities: JsonObject = {}, setup: JsonObject = {}): Sides {
  return watched(v2Client(agentCapabilities, setup));
}

/** Updates by their kind and state, results by their keys, errors by their code. */
function names(frames: readonly JsonObject[]): readonly unknown[] {
  return frames.map((frame) => {
    const update = updateOf(frame);
    if (update) return update["state"] ?? update["sessionUpdate"];
    const { error, method, result } = frame;
    if (method !== undefined) return method;
    if (typeof error === "object" && error && "code" in error) return error.code;
    return Object.keys(result ?? {}).join();
  });
}

const everything = {
  loadSession: true,
  sessionCapabilities: { list: {}, resume: {}, close: {} },
  auth: { logout: {} },
};
const modes = {
  currentModeId: "ask",
  availableModes: [
    { id: "ask", name: "Ask" },
    { id: "code", name: "Code" },
  ],
};

describe("a request of a v2 client", () => {
  const cwd = "/project";
  it.each([
    ["auth/login", { methodId: "m" }, "authenticate", { methodId: "m" }],
    ["auth/logout", {}, "logout", {}],
    ["session/new", { cwd }, "session/new", { cwd, mcpServers: [] }],
    [
      "session/resume",
      { sessionId: "s", cwd },
      "session/resume",
      { sessionId: "s", cwd, mcpServers: [] },
    ],
    [
      "session/resume",
      { sessionId: "s", cwd, replayFrom: { type: "start" } },
      "session/load",
      { sessionId: "s", cwd, mcpServers: [] },
    ],
    ["session/close", { sessionId: "s" }, "session/close", { sessionId: "s" }],
    [
      "session/set_config_option",
      { sessionId: "s", configId: "model", type: "id", value: "l" },
      "session/set_config_option",
      { sessionId: "s", configId: "model", value: "l" },
    ],
  ])("%s %j becomes %s", (method, params, inV1, paramsInV1) => {
    const { id, toAgent } = client(everything).call(method, params);
    expect(toAgent).toEqual([{ jsonrpc: "2.0", id, method: inV1, params: paramsInV1 }]);
  });

  it.each([
    ["authenticate", {}, -32601],
    ["logout", {}, -32601],
    ["session/load", {}, -32601],
    ["session/set_mode", {}, -32601],
    ["tool_call/cancel", { sessionId: "s", toolCallId: "t" }, -32601],
    ["terminal/cancel", { sessionId: "s", terminalId: "t" }, -32601],
    ["session/set_config_option", { sessionId: "s", configId: "m", value: "l" }, -32602],
    ["session/resume", { sessionId: "s", cwd, replayFrom: { type: "_point" } }, -32602],
  ])("%s %j is refused with %i", (method, params, code) => {
    const { toAgent, toClient } = client(everything).call(method, params);
    expect(toAgent).toEqual([]);
    expect(names(toClient)).toEqual([code]);
  });

  it("without an id is refused", () => {
    const sides = v2Client();
    const frame = { jsonrpc: "2.0", id: null, method: "session/list", params: {} };
    expect(sides.fromClient(frame)).toMatchObject({
      toAgent: [],
      toClient: [{ id: null, error: { code: -32600 } }],
    });
  });

  it("to resume is refused, if the agent can neither load nor resume", () => {
    const { toClient } = client().call("session/resume", { sessionId: "s", cwd });
    expect(toClient).toMatchObject([{ error: { code: -32002, data: { sessionId: "s" } } }]);
  });

  it("to replay an agent that only resumes gets no history", () => {
    const sides = client({ sessionCapabilities: { resume: {} } });
    const params = { sessionId: "s", cwd, replayFrom: { type: "start" } };
    const { id, toAgent } = sides.call("session/resume", params);
    expect(names(toAgent)).toEqual(["session/resume"]);
    expect(names(sides.answer(id, {}))).toEqual(["idle", ""]);
    expect(sides.losses("session-history")).toBe(1);
  });

  it("to set the mode becomes session/set_mode, if the option stands for modes of v1", () => {
    const sides = client({}, { modes });
    const params = { sessionId: "s", configId: "mode", type: "id", value: "code" };
    const { id, toAgent } = sides.call("session/set_config_option", params);
    expect(toAgent).toMatchObject([
      { method: "session/set_mode", params: { sessionId: "s", modeId: "code" } },
    ]);
    expect(sides.answer(id, {})).toMatchObject([
      { result: { configOptions: [{ configId: "mode", currentValue: "code" }] } },
    ]);
  });
});

describe("a prompt", () => {
  it("is shown and accepted at once, and ends with the v1 answer", () => {
    const sides = client();
    const { id, toClient, toAgent } = sides.prompt("Hi");
    expect(names(toClient)).toEqual(["user_message", "messageId", "running"]);
    expect(names(toAgent)).toEqual(["session/prompt"]);
    expect(updateOf(toClient[0] ?? {})).toMatchObject({ content: [textBlock("Hi")] });
    const [idle] = sides.answer(id, { stopReason: "end_turn", _meta: { a: 1 } });
    expect(updateOf(idle ?? {})).toEqual(
      state("idle", { stopReason: "end_turn", _meta: { a: 1 } }),
    );
  });

  it("waits for the one before it", () => {
    const sides = client();
    const first = sides.prompt("one");
    const second = sides.prompt("two");
    expect(second).toMatchObject({ toAgent: [], toClient: [] });
    const { toClient, toAgent } = sides.fromAgent({
      jsonrpc: "2.0",
      id: first.id,
      result: { stopReason: "end_turn" },
    });
    expect(names(toClient)).toEqual(["idle", "user_message", "messageId", "running"]);
    expect(toAgent).toMatchObject([{ id: second.id, method: "session/prompt" }]);
  });

  it("that waits is withdrawn by a cancel of the session", () => {
    const sides = client();
    sides.prompt("one");
    const { id } = sides.prompt("two");
    const { toAgent, toClient } = sides.fromClient({
      jsonrpc: "2.0",
      method: "session/cancel",
      params: { sessionId: "s" },
    });
    expect(names(toAgent)).toEqual(["session/cancel"]);
    expect(toClient).toMatchObject([{ id, error: { code: -32800 } }]);
  });

  it("is refused if a hundred others wait", () => {
    const sides = client();
    for (let n = 0; n < 100; n++) sides.prompt();
    expect(names(sides.prompt().toClient)).toEqual([-32600]);
  });

  it("is cancelled when its session is closed, even if the agent cannot close", () => {
    const sides = client();
    sides.prompt("one");
    sides.prompt("two");
    const { toAgent, toClient } = sides.call("session/close", { sessionId: "s" });
    expect(names(toAgent)).toEqual(["session/cancel"]);
    expect(names(toClient)).toEqual([-32800, "idle", ""]);
  });
});

describe("a question of the agent", () => {
  const options = [{ optionId: "y", name: "Yes", kind: "allow_once" }];
  const ask = (id: number): JsonObject => ({
    jsonrpc: "2.0",
    id,
    method: "session/request_permission",
    params: { sessionId: "s", toolCall: { toolCallId: "t", title: "Run" }, options },
  });

  it("changes the state, until the last one is answered", () => {
    const sides = client();
    sides.prompt();
    expect(names(sides.fromAgent(ask(1)).toClient)).toEqual([
      "requires_action",
      "session/request_permission",
    ]);
    expect(names(sides.fromAgent(ask(2)).toClient)).toEqual(["session/request_permission"]);
    const answer = (id: number): JsonObject => ({
      jsonrpc: "2.0",
      id,
      result: { outcome: { outcome: "selected", optionId: "y" } },
    });
    expect(sides.fromClient(answer(1)).toClient).toEqual([]);
    expect(names(sides.fromClient(answer(2)).toClient)).toEqual(["running"]);
  });

  it.each([{ outcome: "_approved" }, { outcome: "selected", optionId: "other" }])(
    "answered with %j reaches the agent as cancelled",
    (outcome) => {
      const sides = v2Client();
      sides.prompt();
      sides.fromAgent(ask(1));
      const { toAgent } = sides.fromClient({ jsonrpc: "2.0", id: 1, result: { outcome } });
      expect(toAgent).toMatchObject([{ id: 1, result: { outcome: { outcome: "cancelled" } } }]);
    },
  );

  it("outside a turn does not change the state", () => {
    expect(names(client().fromAgent(ask(1)).toClient)).toEqual(["session/request_permission"]);
  });
});

describe("loading a session", () => {
  it("passes the replay, each message emptied first, then the state and the answer", () => {
    const sides = client({ loadSession: true });
    const params = { sessionId: "s", cwd: "/", replayFrom: { type: "start" } };
    const { id } = sides.call("session/resume", params);
    const chunk = { sessionUpdate: "user_message_chunk", messageId: "u", content: textBlock("Hi") };
    const emptied = { sessionUpdate: "user_message", messageId: "u", content: [] };
    expect(sides.update(chunk)).toEqual([emptied, chunk]);
    expect(sides.update(chunk)).toEqual([chunk]);
    expect(sides.update(agentChunk("a", "Hello"))).toEqual([
      { sessionUpdate: "agent_message", messageId: "a", content: [] },
      agentChunk("a", "Hello"),
    ]);
    expect(names(sides.answer(id, null))).toEqual(["idle", ""]);
  });
});

it("null as a result becomes an object", () => {
  const sides = client({ auth: { logout: {} } });
  const { id } = sides.call("auth/logout", {});
  expect(sides.answer(id, null)).toEqual([{ jsonrpc: "2.0", id, result: {} }]);
});
