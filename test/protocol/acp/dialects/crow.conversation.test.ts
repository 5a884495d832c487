/**
 * The conversation that defines crow's dialect, message by message. The client's end reads the agent's
 * messages and writes the client's; the agent's end does the reverse.
 */
import { describe, expect, test } from "vitest";

import { crowDialect, detectingRewriter } from "../../../../src/protocol/acp/index.ts";
import type { JsonObject } from "../../../../src/base/index.ts";
import { schemaFaults, schemaParamFaults } from "../schema.ts";
import { overTheWire, read, update, write } from "./messages.ts";

interface Step {
  readonly from: "client" | "agent";
  readonly name: string;
  readonly crow: JsonObject;
  readonly canonical: JsonObject;
}

const rpc = { jsonrpc: "2.0" };
const info = { name: "crow-ide", version: "0.1.0" };
const agentInfo = { name: "crow-acp-server", title: "Crow ACP Server", version: "0.1.0" };
const text = (value: string) => ({ type: "text", text: value });
const prompt = [text("Hello, how are you?")];
const entries = [
  { content: "Analyze the request", priority: "high", status: "completed" },
  { content: "Execute tool: terminal", priority: "medium", status: "in_progress" },
];

const updates: [string, object, object][] = [
  [
    "a thought",
    { "@type": "agent_thought_text", text: "Let me think about this..." },
    { sessionUpdate: "agent_thought_chunk", content: text("Let me think about this...") },
  ],
  [
    "a message",
    { "@type": "agent_message_text", text: "I'm doing well, thank you!" },
    { sessionUpdate: "agent_message_chunk", content: text("I'm doing well, thank you!") },
  ],
  [
    "a tool call",
    {
      "@type": "tool_call_start",
      tool_call_id: "uuid",
      title: "terminal",
      kind: "execute",
      status: "in_progress",
    },
    {
      sessionUpdate: "tool_call",
      toolCallId: "uuid",
      title: "terminal",
      kind: "execute",
      status: "in_progress",
    },
  ],
  [
    "the end of a tool call",
    { "@type": "tool_call_update", tool_call_id: "uuid", status: "completed" },
    { sessionUpdate: "tool_call_update", toolCallId: "uuid", status: "completed" },
  ],
  ["a plan", { "@type": "plan_update", entries }, { sessionUpdate: "plan", entries }],
];

const conversation: Step[] = [
  {
    from: "client",
    name: "initialize",
    crow: {
      ...rpc,
      id: 1,
      method: "initialize",
      params: { protocol_version: 1, client_capabilities: {}, client_info: info },
    },
    canonical: {
      ...rpc,
      id: 1,
      method: "initialize",
      params: { protocolVersion: 1, clientCapabilities: {}, clientInfo: info },
    },
  },
  {
    from: "agent",
    name: "the response to initialize",
    crow: {
      ...rpc,
      id: 1,
      result: {
        protocol_version: 1,
        agent_capabilities: {
          prompt_capabilities: { text: true, image: true, resource: true },
          mcp_capabilities: { http: false, sse: false },
          load_session: true,
        },
        agent_info: agentInfo,
      },
    },
    canonical: {
      ...rpc,
      id: 1,
      result: {
        protocolVersion: 1,
        agentCapabilities: {
          promptCapabilities: { image: true, audio: false, embeddedContext: true },
          mcpCapabilities: { http: false, sse: false },
          loadSession: true,
        },
        agentInfo,
      },
    },
  },
  ...[
    {
      from: "client" as const,
      name: "session/new",
      crow: {
        ...rpc,
        id: 2,
        method: "session/new",
        params: { cwd: "/path/to/workspace", mcpServers: [] },
      },
    },
    {
      from: "agent" as const,
      name: "the response to session/new",
      crow: { ...rpc, id: 2, result: { sessionId: "uuid-string" } },
    },
  ].map((step) => ({ ...step, canonical: step.crow })),
  {
    from: "client",
    name: "session/prompt",
    crow: {
      ...rpc,
      id: 3,
      method: "session/prompt",
      params: { session_id: "uuid-string", prompt },
    },
    canonical: {
      ...rpc,
      id: 3,
      method: "session/prompt",
      params: { sessionId: "uuid-string", prompt },
    },
  },
  ...updates.map(([name, crow, canonical]): Step => ({
    from: "agent",
    name,
    crow: update("uuid-string", crow),
    canonical: update("uuid-string", canonical),
  })),
  {
    from: "agent",
    name: "the end of the turn",
    crow: { ...rpc, id: 3, result: { stop_reason: "end_turn" } },
    canonical: { ...rpc, id: 3, result: { stopReason: "end_turn" } },
  },
  {
    from: "client",
    name: "session/load",
    crow: {
      ...rpc,
      id: 4,
      method: "session/load",
      params: { session_id: "existing-uuid", cwd: "/path/to/workspace" },
    },
    canonical: {
      ...rpc,
      id: 4,
      method: "session/load",
      params: { sessionId: "existing-uuid", cwd: "/path/to/workspace", mcpServers: [] },
    },
  },
  {
    from: "agent",
    name: "an error",
    crow: {
      ...rpc,
      id: 4,
      error: { code: -32602, message: "Invalid params", data: { errors: ["x"] } },
    },
    canonical: {
      ...rpc,
      id: 4,
      error: { code: -32602, message: "Invalid params", data: { errors: ["x"] } },
    },
  },
];

const results = new Map([
  ["the response to initialize", "InitializeResponse"],
  ["the response to session/new", "NewSessionResponse"],
  ["the end of the turn", "PromptResponse"],
]);

describe("the canonical side of the conversation is valid ACP", () => {
  test.each(conversation)("$name", ({ name, canonical }) => {
    const method = canonical["method"];
    if (typeof method === "string")
      expect(schemaParamFaults(method, canonical["params"])).toEqual([]);
    const definition = results.get(name);
    if (definition) expect(schemaFaults(definition, canonical["result"])).toEqual([]);
  });
});

describe.each([
  ["ends that always speak crow", () => crowDialect("client"), () => crowDialect("agent")],
  [
    "ends that detect crow",
    () => {
      const rewriter = detectingRewriter("client");
      // As after an agent reported the canonical spelling as invalid.
      rewriter.useCrow();
      return rewriter;
    },
    () => detectingRewriter("agent"),
  ],
])("%s", (_, makeClient, makeAgent) => {
  test("translate every message at the client", () => {
    const client = makeClient();
    for (const { from, name, crow, canonical } of conversation) {
      if (from === "client") {
        expect(write(client, canonical).map(overTheWire), name).toEqual([crow]);
      } else {
        expect(read(client, crow), name).toEqual([canonical]);
      }
    }
  });

  test("translate every message at the agent", () => {
    const agent = makeAgent();
    for (const { from, name, crow, canonical } of conversation) {
      if (from === "client") {
        expect(read(agent, crow), name).toEqual([canonical]);
      } else {
        expect(write(agent, canonical).map(overTheWire), name).toEqual([crow]);
      }
    }
  });
});

const crowRequest = {
  "@type": "permission_request",
  tool_call_id: "uuid",
  title: "terminal",
  arguments: "ls -la",
  permission_options: [
    { id: "approve", title: "Approve", is_primary: true },
    { id: "reject", title: "Reject" },
  ],
};
const canonicalParams = {
  sessionId: "uuid-string",
  toolCall: { toolCallId: "uuid", title: "terminal", rawInput: "ls -la" },
  options: [
    { optionId: "approve", name: "Approve", kind: "allow_once", _meta: { is_primary: true } },
    { optionId: "reject", name: "Reject", kind: "reject_once" },
  ],
};
const selected = (optionId: string) => ({ outcome: { outcome: "selected", optionId } });
const chosen = (option_id: string | null) => ({
  session_id: "uuid-string",
  tool_call_id: "uuid",
  option_id,
});

describe("a permission request", () => {
  test("becomes a request at the client, and its response a notification", () => {
    const client = crowDialect("client");
    const [message] = read(client, update("uuid-string", crowRequest));
    expect(message).toMatchObject({
      method: "session/request_permission",
      params: canonicalParams,
    });
    expect(schemaParamFaults("session/request_permission", message?.["params"])).toEqual([]);
    expect(write(client, { ...rpc, id: message?.["id"], result: selected("approve") })).toEqual([
      { ...rpc, method: "permission_response", params: chosen("approve") },
    ]);
  });

  test("becomes an update at the agent, and the notification a response", () => {
    const agent = crowDialect("agent");
    const message = {
      ...rpc,
      id: 9,
      method: "session/request_permission",
      params: canonicalParams,
    };
    expect(write(agent, message).map(overTheWire)).toEqual([update("uuid-string", crowRequest)]);
    expect(
      read(agent, { ...rpc, method: "permission_response", params: chosen("reject") }),
    ).toEqual([{ ...rpc, id: 9, result: selected("reject") }]);
  });
});

describe("cancel", () => {
  const cancel = { ...rpc, method: "session/cancel", params: { sessionId: "uuid" } };

  test("becomes a request at the client, which drops the response", () => {
    const client = crowDialect("client");
    const [first] = write(client, cancel);
    const [second] = write(client, cancel);
    expect(first).toMatchObject({ method: "cancel", params: { session_id: "uuid" } });
    expect(first?.["id"]).toBeTypeOf("number");
    expect(first?.["id"]).not.toBe(second?.["id"]);
    expect(read(client, { ...rpc, id: first?.["id"], result: null })).toEqual([]);
    expect(
      read(client, { ...rpc, id: second?.["id"], error: { code: -32601, message: "?" } }),
    ).toEqual([]);
    expect(read(client, { ...rpc, id: first?.["id"], result: null })).toHaveLength(1);
  });

  test("becomes a notification at the agent, which answers {} regardless of its handlers", () => {
    const agent = crowDialect("agent");
    const messages = read(agent, {
      ...rpc,
      id: 5,
      method: "cancel",
      params: { session_id: "uuid" },
    });
    expect(messages[0]).toEqual(cancel);
    expect(messages).toHaveLength(2);
    const marker = messages[1];
    expect(marker).toMatchObject({ id: 5 });
    expect(marker?.["method"]).toMatch(/^_/);
    const answer = { ...rpc, id: 5, error: { code: -32601, message: "Method not found" } };
    expect(write(agent, answer)).toEqual([{ ...rpc, id: 5, result: {} }]);
  });

  test("is understood as a notification too, and then not answered", () => {
    expect(
      read(crowDialect("agent"), { ...rpc, method: "cancel", params: { sessionId: "uuid" } }),
    ).toEqual([cancel]);
  });
});
