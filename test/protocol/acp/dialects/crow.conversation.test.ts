/**
 * The conversation that defines crow's dialect, message by message. The client's end reads the agent's
 * messages and writes the client's; the agent's end does the reverse.
 */
import { describe, expect, test } from "vitest";

import { crowDialect, detectingRewriter } from "../../../../src/protocol/acp/index.ts";
import type { JsonObject } from "../../../../src/base/index.ts";
import { schemaFaults, schemaParamFaults } from "../schema.ts";
import { failure, notification, request, result } from "../../../support/messages.ts";
import { overTheWire, read, update, write } from "./messages.ts";

interface Step {
  readonly from: "client" | "agent";
  readonly name: string;
  readonly crow: JsonObject;
  readonly canonical: JsonObject;
}

const info = { name: "crow-ide", version: "0.1.0" };
const agentInfo = { name: "crow-acp-server", title: "Crow ACP Server", version: "0.1.0" };
const text = (value: string) => ({ type: "text", text: value });
const prompt = [text("Hello, how are you?")];
const entries = [
  { content: "Analyze the request", priority: "high", status: "completed" },
  { content: "Execute tool: terminal", priority: "medium", status: "in_progress" },
];
const call = { title: "terminal", kind: "execute", status: "in_progress" };
const cwd = "/path/to/workspace";

const fromClient = (name: string, crow: JsonObject, canonical = crow): Step => ({
  from: "client",
  name,
  crow,
  canonical,
});
const fromAgent = (name: string, crow: JsonObject, canonical = crow): Step => ({
  from: "agent",
  name,
  crow,
  canonical,
});
const updated = (name: string, crow: object, canonical: object): Step =>
  fromAgent(name, update("uuid-string", crow), update("uuid-string", canonical));

const conversation: Step[] = [
  fromClient(
    "initialize",
    request(1, "initialize", { protocol_version: 1, client_capabilities: {}, client_info: info }),
    request(1, "initialize", { protocolVersion: 1, clientCapabilities: {}, clientInfo: info }),
  ),
  fromAgent(
    "the response to initialize",
    result(1, {
      protocol_version: 1,
      agent_capabilities: {
        prompt_capabilities: { text: true, image: true, resource: true },
        mcp_capabilities: { http: false, sse: false },
        load_session: true,
      },
      agent_info: agentInfo,
    }),
    result(1, {
      protocolVersion: 1,
      agentCapabilities: {
        promptCapabilities: { image: true, audio: false, embeddedContext: true },
        mcpCapabilities: { http: false, sse: false },
        loadSession: true,
      },
      agentInfo,
    }),
  ),
  fromClient("session/new", request(2, "session/new", { cwd, mcpServers: [] })),
  fromAgent("the response to session/new", result(2, { sessionId: "uuid-string" })),
  fromClient(
    "session/prompt",
    request(3, "session/prompt", { session_id: "uuid-string", prompt }),
    request(3, "session/prompt", { sessionId: "uuid-string", prompt }),
  ),
  updated(
    "a thought",
    { "@type": "agent_thought_text", text: "Let me think about this..." },
    { sessionUpdate: "agent_thought_chunk", content: text("Let me think about this...") },
  ),
  updated(
    "a message",
    { "@type": "agent_message_text", text: "I'm doing well, thank you!" },
    { sessionUpdate: "agent_message_chunk", content: text("I'm doing well, thank you!") },
  ),
  updated(
    "a tool call",
    { "@type": "tool_call_start", tool_call_id: "uuid", ...call },
    { sessionUpdate: "tool_call", toolCallId: "uuid", ...call },
  ),
  updated(
    "the end of a tool call",
    { "@type": "tool_call_update", tool_call_id: "uuid", status: "completed" },
    { sessionUpdate: "tool_call_update", toolCallId: "uuid", status: "completed" },
  ),
  updated("a plan", { "@type": "plan_update", entries }, { sessionUpdate: "plan", entries }),
  fromAgent(
    "the end of the turn",
    result(3, { stop_reason: "end_turn" }),
    result(3, { stopReason: "end_turn" }),
  ),
  fromClient(
    "session/load",
    request(4, "session/load", { session_id: "existing-uuid", cwd }),
    request(4, "session/load", { sessionId: "existing-uuid", cwd, mcpServers: [] }),
  ),
  fromAgent("an error", failure(4, -32602, "Invalid params", { errors: ["x"] })),
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
    expect(write(client, result(message?.["id"], selected("approve")))).toEqual([
      notification("permission_response", chosen("approve")),
    ]);
  });

  test("becomes an update at the agent, and the notification a response", () => {
    const agent = crowDialect("agent");
    const message = request(9, "session/request_permission", canonicalParams);
    expect(write(agent, message).map(overTheWire)).toEqual([update("uuid-string", crowRequest)]);
    expect(read(agent, notification("permission_response", chosen("reject")))).toEqual([
      result(9, selected("reject")),
    ]);
  });
});

describe("cancel", () => {
  const cancel = notification("session/cancel", { sessionId: "uuid" });

  test("becomes a request at the client, which drops the response", () => {
    const client = crowDialect("client");
    const [first] = write(client, cancel);
    const [second] = write(client, cancel);
    expect(first).toMatchObject({ method: "cancel", params: { session_id: "uuid" } });
    expect(first?.["id"]).toBeTypeOf("number");
    expect(first?.["id"]).not.toBe(second?.["id"]);
    expect(read(client, result(first?.["id"], null))).toEqual([]);
    expect(read(client, failure(second?.["id"], -32601, "?"))).toEqual([]);
    expect(read(client, result(first?.["id"], null))).toHaveLength(1);
  });

  test("becomes a notification at the agent, which answers {} regardless of its handlers", () => {
    const agent = crowDialect("agent");
    const messages = read(agent, request(5, "cancel", { session_id: "uuid" }));
    expect(messages[0]).toEqual(cancel);
    expect(messages).toHaveLength(2);
    const marker = messages[1];
    expect(marker).toMatchObject({ id: 5 });
    expect(marker?.["method"]).toMatch(/^_/);
    expect(write(agent, failure(5, -32601, "Method not found"))).toEqual([result(5, {})]);
  });

  test("is understood as a notification too, and then not answered", () => {
    const notified = notification("cancel", { sessionId: "uuid" });
    expect(read(crowDialect("agent"), notified)).toEqual([cancel]);
  });
});
