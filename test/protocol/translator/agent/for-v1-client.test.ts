import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/base/index.ts";
import {
  agentChunk,
  type Sides,
  state,
  textBlock,
  toolCall,
  updateOf,
  v1Client,
  watched,
} from "../sides.ts";

function client(capabilities: JsonObject = {}, agentCapabilities?: JsonObject): Sides {
  return watched(v1Client(capabilities, agentCapabilities));
}

const modeOption = (currentValue: string): JsonObject => ({
  configId: "approval",
  name: "Approval",
  category: "mode",
  type: "select",
  currentValue,
  options: [
    { value: "ask", name: "Ask" },
    { value: "code", name: "Code" },
  ],
});

describe("a request of a v1 client", () => {
  const cwd = "/project";
  it.each([
    ["authenticate", { methodId: "m" }, "auth/login", { methodId: "m" }],
    ["logout", {}, "auth/logout", {}],
    ["session/list", { cwd }, "session/list", { cwd }],
    [
      "session/load",
      { sessionId: "s", cwd, mcpServers: [] },
      "session/resume",
      { sessionId: "s", cwd, mcpServers: [], replayFrom: { type: "start" } },
    ],
    [
      "session/resume",
      { sessionId: "s", cwd, mcpServers: [] },
      "session/resume",
      { sessionId: "s", cwd, mcpServers: [] },
    ],
    [
      "session/new",
      { cwd, mcpServers: [{ name: "a", command: "/bin/a", args: [], env: [] }] },
      "session/new",
      { cwd, mcpServers: [{ type: "stdio", name: "a", command: "/bin/a", args: [], env: [] }] },
    ],
    [
      "session/set_config_option",
      { sessionId: "s", configId: "model", value: "l" },
      "session/set_config_option",
      { sessionId: "s", configId: "model", type: "id", value: "l" },
    ],
    [
      "session/set_config_option",
      { sessionId: "s", configId: "web", type: "boolean", value: true },
      "session/set_config_option",
      { sessionId: "s", configId: "web", type: "boolean", value: true },
    ],
    ["_acme/hello", { a: 1 }, "_acme/hello", { a: 1 }],
  ])("%s %j becomes %s", (method, params, inV2, paramsInV2) => {
    const { id, toAgent, toClient } = client().call(method, params);
    expect(toAgent).toEqual([{ jsonrpc: "2.0", id, method: inV2, params: paramsInV2 }]);
    expect(toClient).toEqual([]);
  });

  it("for a server by a command is refused, if the agent starts none", () => {
    const sides = client({}, { session: { mcp: { http: {} } } });
    const server = { name: "a", command: "/bin/a", args: [], env: [] };
    const { toAgent, toClient } = sides.call("session/new", { cwd, mcpServers: [server] });
    expect(toAgent).toEqual([]);
    expect(toClient).toMatchObject([{ error: { code: -32602 } }]);
  });

  it("to set a mode sets the option of that category", () => {
    const sides = client();
    sides.open({ configOptions: [modeOption("ask")] });
    const { id, toAgent } = sides.call("session/set_mode", { sessionId: "s", modeId: "code" });
    expect(toAgent).toMatchObject([
      {
        method: "session/set_config_option",
        params: { sessionId: "s", configId: "approval", type: "id", value: "code" },
      },
    ]);
    const answer = sides.answer(id, { configOptions: [modeOption("code")] });
    expect(answer.map((frame) => updateOf(frame)?.["sessionUpdate"] ?? frame["result"])).toEqual([
      "config_option_update",
      {},
    ]);
  });

  it("to set a mode is refused, if the agent has none", () => {
    const { toAgent, toClient } = client().call("session/set_mode", {
      sessionId: "s",
      modeId: "code",
    });
    expect(toAgent).toEqual([]);
    expect(toClient).toMatchObject([{ error: { code: -32601 } }]);
  });

  it("to set the option of the mode reports the new mode first", () => {
    const sides = client();
    sides.open({ configOptions: [modeOption("ask")] });
    const params = { sessionId: "s", configId: "approval", value: "code" };
    const { id } = sides.call("session/set_config_option", params);
    const answer = sides.answer(id, { configOptions: [modeOption("code")] });
    expect(answer.map((frame) => updateOf(frame) ?? Object.keys(frame["result"] ?? {}))).toEqual([
      { sessionUpdate: "current_mode_update", currentModeId: "code" },
      ["configOptions"],
    ]);
  });
});

describe("the answer that opens a session", () => {
  it("has modes next to the options, and commands follow it", () => {
    const sides = client();
    const { id } = sides.call("session/new", { cwd: "/", mcpServers: [] });
    const availableCommands = [{ type: "command", name: "fix", description: "Fixes" }];
    const configOptions = [modeOption("ask")];
    const frames = sides.answer(id, { sessionId: "n", configOptions, availableCommands });
    expect(frames).toMatchObject([
      {
        result: {
          sessionId: "n",
          configOptions: [{ id: "approval" }],
          modes: {
            currentModeId: "ask",
            availableModes: [
              { id: "ask", name: "Ask" },
              { id: "code", name: "Code" },
            ],
          },
        },
      },
      {
        params: {
          sessionId: "n",
          update: { availableCommands: [{ name: "fix", description: "Fixes" }] },
        },
      },
    ]);
  });

  it("passes null and errors", () => {
    const sides = client();
    const { id } = sides.call("session/resume", { sessionId: "x", cwd: "/", mcpServers: [] });
    const error = { code: -32002, message: "No", data: { sessionId: "x" } };
    expect(sides.fromAgent({ jsonrpc: "2.0", id, error }).toClient).toEqual([
      { jsonrpc: "2.0", id, error },
    ]);
  });
});

describe("a prompt", () => {
  function prompted(): { sides: Sides; id: number } {
    const sides = client();
    const { id } = sides.prompt();
    return { sides, id };
  }

  it("is answered with the idle state, its usage and _meta", () => {
    const { sides, id } = prompted();
    expect(sides.answer(id, { messageId: "u" })).toEqual([]);
    sides.update(state("running"));
    const idle = state("idle", { stopReason: "max_tokens", _meta: { a: 1 } });
    expect(sides.update(idle)).toEqual([
      { jsonrpc: "2.0", id, result: { stopReason: "max_tokens", _meta: { a: 1 } } },
    ]);
  });

  it.each([
    [
      { code: -32000, message: "No", data: 1 },
      { code: -32000, message: "No", data: 1 },
    ],
    [undefined, { code: -32603, message: "The agent ended the turn with an error" }],
  ])("fails with the error %j of the idle state", (error, expected) => {
    const { sides, id } = prompted();
    sides.answer(id, { messageId: "u" });
    sides.update(state("running"));
    const more = error === undefined ? {} : { error };
    expect(sides.update(state("idle", { stopReason: "error", ...more }))).toEqual([
      { jsonrpc: "2.0", id, error: expected },
    ]);
  });

  it("that is refused fails at once", () => {
    const { sides, id } = prompted();
    const error = { code: -32603, message: "Offline" };
    expect(sides.fromAgent({ jsonrpc: "2.0", id, error }).toClient).toEqual([
      { jsonrpc: "2.0", id, error },
    ]);
    sides.update(state("running"));
    expect(sides.update(state("idle"))).toEqual([]);
  });

  const cancelRequest = (requestId: number): JsonObject => ({
    jsonrpc: "2.0",
    method: "$/cancel_request",
    params: { requestId },
  });

  it("is withdrawn before the agent accepted it", () => {
    const { sides, id } = prompted();
    expect(sides.fromClient(cancelRequest(id)).toAgent).toEqual([cancelRequest(id)]);
  });

  it("is cancelled with its session afterwards", () => {
    const { sides, id } = prompted();
    sides.answer(id, { messageId: "u" });
    expect(sides.fromClient(cancelRequest(id)).toAgent).toEqual([
      { jsonrpc: "2.0", method: "session/cancel", params: { sessionId: "s" } },
    ]);
  });

  it("of one session is not ended by another", () => {
    const { sides, id } = prompted();
    sides.answer(id, { messageId: "u" });
    for (const name of ["running", "idle"]) {
      const params = { sessionId: "other", update: state(name) };
      const frame = { jsonrpc: "2.0", method: "session/update", params };
      expect(sides.fromAgent(frame).toClient).toEqual([]);
    }
    sides.update(state("running"));
    expect(sides.update(state("idle"))).toMatchObject([{ id }]);
  });
});

describe("a frame of the agent", () => {
  it.each(["fs/read_text_file", "terminal/create", "terminal/release"])(
    "that calls %s, which v2 removed, is answered",
    (method) => {
      const frame = { jsonrpc: "2.0", id: 1, method, params: { sessionId: "s" } };
      const { toClient, toAgent } = client().fromAgent(frame);
      expect(toClient).toEqual([]);
      expect(toAgent).toMatchObject([{ id: 1, error: { code: -32601 } }]);
    },
  );

  it.each([
    { jsonrpc: "2.0", method: "_auth/status_update", params: {} },
    { jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: 1 } },
    { jsonrpc: "2.0", method: "session/update" },
    { jsonrpc: "2.0", method: "session/update", params: { update: {} } },
    { jsonrpc: "2.0", id: 99, result: {} },
    { jsonrpc: "2.0", method: 5 },
  ])("%j passes unchanged", (frame) => {
    const sides = v1Client();
    expect(sides.fromAgent(frame).toClient).toEqual([frame]);
  });

  it("keeps the _meta next to an update", () => {
    const params = { sessionId: "s", update: toolCall({ title: "x" }), _meta: { a: 1 } };
    const frame = { jsonrpc: "2.0", method: "session/update", params };
    expect(client().fromAgent(frame).toClient).toMatchObject([{ params: { _meta: { a: 1 } } }]);
  });

  it("after a message was replaced belongs to the new one", () => {
    const sides = client();
    sides.update(agentChunk("a", "Hi"));
    const content = [textBlock("Oh")];
    sides.update({ sessionUpdate: "agent_message", messageId: "a", content });
    expect(sides.update(agentChunk("a", " yes"))).toEqual([agentChunk("a~2", " yes")]);
  });

  it("about a permission updates the call first, and the same update twice changes nothing", () => {
    const sides = client();
    sides.update(toolCall({ title: "Run", kind: "execute" }));
    const options = [{ optionId: "y", name: "Yes", kind: "allow_once" }];
    const toolCallOf = { toolCallId: "t", title: "Run it", content: [] };
    const subject = { type: "tool_call", toolCall: toolCallOf };
    const params = { sessionId: "s", title: "May I?", subject, options };
    const frame = { jsonrpc: "2.0", id: 7, method: "session/request_permission", params };
    const { toClient } = sides.fromAgent(frame);
    expect(toClient).toMatchObject([
      { method: "session/update", params: { update: { sessionUpdate: "tool_call_update" } } },
      { id: 7, params: { sessionId: "s", toolCall: toolCallOf, options } },
    ]);
    const answer = { jsonrpc: "2.0", id: 7, result: { outcome: { outcome: "cancelled" } } };
    expect(sides.fromClient(answer).toAgent).toEqual([answer]);
  });
});

it("sessions that the client never opened are forgotten in time", () => {
  const sides = client();
  const { id } = sides.prompt();
  sides.answer(id, { messageId: "u" });
  sides.update(state("running"));
  for (let n = 0; n < 2000; n++) {
    const params = { sessionId: `stranger ${n}`, update: state("running") };
    sides.fromAgent({ jsonrpc: "2.0", method: "session/update", params });
  }
  expect(sides.update(state("idle"))).toMatchObject([{ id }]);
});
