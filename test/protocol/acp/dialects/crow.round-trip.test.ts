/** Everything that crow can express survives a round trip, in every direction. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { crowDialect } from "../../../../src/protocol/acp/index.ts";
import type { JsonObject } from "../../../../src/base/index.ts";
import type { Rewriter } from "../../../../src/transport/rpc/index.ts";
import { notification, request, result } from "../../../support/messages.ts";
import { carry, overTheWire, read, update, write } from "./messages.ts";

const runs = { numRuns: 500 };
const id = fc.string({ minLength: 1 });
const jsonValue = fc.jsonValue();
const kind = fc.constantFrom("read", "edit", "execute", "other", "teleport");
const status = fc.constantFrom("pending", "in_progress", "completed", "failed");
const entries = fc.array(
  fc.record({
    content: fc.string(),
    priority: fc.constantFrom("high", "medium", "low"),
    status: fc.constantFrom("pending", "in_progress", "completed"),
  }),
  { maxLength: 3 },
);
/** Extra fields that neither dialect knows. */
const extraFields = fc.record(
  { _meta: fc.dictionary(fc.string(), jsonValue), novelField: jsonValue },
  { requiredKeys: [] },
);
const info = fc.record({ name: fc.string(), version: fc.string() });
const flag = fc.boolean();

const textContent = fc.record({ type: fc.constant("text"), text: fc.string() });
const toolContent = fc.oneof(
  fc.record({ type: fc.constant("content"), content: textContent }),
  fc.record({
    type: fc.constant("diff"),
    path: fc.string(),
    oldText: fc.string(),
    newText: fc.string(),
  }),
  fc.record({ type: fc.constant("terminal"), terminalId: fc.string() }),
);
const toolFields = {
  content: fc.array(toolContent, { maxLength: 3 }),
  locations: fc.array(fc.record({ path: fc.string() }), { maxLength: 2 }),
  rawInput: jsonValue,
  rawOutput: jsonValue,
};

type Fields = Record<string, fc.Arbitrary<unknown>>;

/** An update with these fields, of which some are always there, and with extra ones. */
const updateOf = (required: Fields, others: Fields = {}): fc.Arbitrary<object> =>
  fc
    .tuple(
      fc.record({ ...required, ...others }, { requiredKeys: Object.keys(required) }),
      extraFields,
    )
    .map(([known, extra]) => ({ ...extra, ...known }));
const chunkKind = (suffix: string) =>
  fc.constantFrom("agent_message", "agent_thought", "user_message").map((kind) => kind + suffix);

const canonicalUpdate = fc.oneof(
  updateOf({ sessionUpdate: chunkKind("_chunk"), content: textContent }, { messageId: id }),
  updateOf(
    { sessionUpdate: fc.constant("tool_call"), toolCallId: id, title: fc.string(), kind, status },
    toolFields,
  ),
  updateOf(
    { sessionUpdate: fc.constant("tool_call_update"), toolCallId: id },
    { title: fc.string(), kind, status, ...toolFields },
  ),
  updateOf({ sessionUpdate: fc.constant("plan"), entries }),
);

const crowUpdate = fc.oneof(
  updateOf({ "@type": chunkKind("_text"), text: fc.string() }),
  updateOf({
    "@type": fc.constant("tool_call_start"),
    tool_call_id: id,
    title: fc.string(),
    kind,
    status,
  }),
  updateOf(
    { "@type": fc.constant("tool_call_update"), tool_call_id: id },
    { status, raw_output: jsonValue },
  ),
  updateOf({ "@type": fc.constant("plan_update"), entries }),
);

const servers = fc.array(
  fc.record({
    name: fc.string(),
    command: fc.string(),
    args: fc.array(fc.string()),
    env: fc.array(fc.record({ name: fc.string(), value: fc.string() })),
  }),
  { maxLength: 2 },
);
const prompt = fc.array(textContent, { maxLength: 3 });
const cwd = fc.string();

const requestOf = (method: string, params: Fields): fc.Arbitrary<JsonObject> =>
  fc.record(params).map((given) => request(1, method, given));

const canonicalRequest = fc.oneof(
  requestOf("initialize", {
    protocolVersion: fc.nat(),
    clientInfo: info,
    clientCapabilities: fc.record({ terminal: flag, fs: fc.record({ readTextFile: flag }) }),
  }),
  requestOf("session/new", { cwd, mcpServers: servers }),
  requestOf("session/load", { sessionId: id, cwd, mcpServers: servers }),
  requestOf("session/prompt", { sessionId: id, prompt }),
  requestOf("session/set_mode", { sessionId: id, modeId: id }),
  fc.dictionary(fc.string(), jsonValue).map((params) => request(1, "_vendor/method", params)),
);

const crowRequest = fc.oneof(
  requestOf("initialize", {
    protocol_version: fc.nat(),
    client_info: info,
    client_capabilities: fc.constant({}),
  }),
  requestOf("session/new", { cwd, mcpServers: servers }),
  requestOf("session/load", { session_id: id, cwd }),
  requestOf("session/prompt", { session_id: id, prompt }),
);

const capabilities = fc.record({
  promptCapabilities: fc.record({ image: flag, audio: flag, embeddedContext: flag }),
  mcpCapabilities: fc.record({ http: flag, sse: flag }),
  loadSession: flag,
  sessionCapabilities: fc.record(
    { list: fc.constant({}), additionalDirectories: fc.constant({}) },
    { requiredKeys: [] },
  ),
});
const crowCapabilities = fc.record({
  prompt_capabilities: fc.record({ text: fc.constant(true), image: flag, resource: flag }),
  mcp_capabilities: fc.record({ http: flag, sse: flag }),
  load_session: flag,
});

const resultOf = (method: string, fields: Fields): fc.Arbitrary<[string, object]> =>
  fc.record(fields).map((value) => [method, value]);

const canonicalResult = fc.oneof(
  resultOf("initialize", {
    protocolVersion: fc.nat(),
    agentCapabilities: capabilities,
    agentInfo: info,
  }),
  resultOf("session/new", { sessionId: id }),
  resultOf("session/prompt", { stopReason: fc.constantFrom("end_turn", "cancelled") }),
  resultOf("session/load", {}),
);
const crowResult = fc.oneof(
  resultOf("initialize", {
    protocol_version: fc.nat(),
    agent_capabilities: crowCapabilities,
    agent_info: info,
  }),
  resultOf("session/new", { sessionId: id }),
  resultOf("session/prompt", { stop_reason: fc.constantFrom("end_turn", "cancelled", "error") }),
);

const ends = () => ({ client: crowDialect("client"), agent: crowDialect("agent") });
const clean = (messages: readonly JsonObject[]) => messages.map(overTheWire);

describe("a round trip over the wire preserves canonical", () => {
  test("updates", () => {
    fc.assert(
      fc.property(id, canonicalUpdate, (sessionId, fields) => {
        const { client, agent } = ends();
        const message = overTheWire(update(sessionId, fields));
        expect(clean(carry(agent, client, message))).toEqual([message]);
      }),
      runs,
    );
  });

  test("requests", () => {
    fc.assert(
      fc.property(canonicalRequest, (message) => {
        const { client, agent } = ends();
        const sent = overTheWire(message);
        expect(clean(carry(client, agent, sent))).toEqual([sent]);
      }),
      runs,
    );
  });

  test("results and errors", () => {
    fc.assert(
      fc.property(
        canonicalResult,
        fc.integer().filter((code) => code !== -32603),
        ([method, value], code) => {
          for (const answer of [
            result(1, value),
            { jsonrpc: "2.0", id: 1, error: { code, message: "m" } },
          ]) {
            const { client, agent } = ends();
            carry(client, agent, request(1, method, {}));
            expect(clean(carry(agent, client, answer))).toEqual([answer]);
          }
        },
      ),
      runs,
    );
  });

  test("cancel", () => {
    fc.assert(
      fc.property(id, (sessionId) => {
        const { client, agent } = ends();
        const cancel = notification("session/cancel", { sessionId });
        expect(carry(client, agent, cancel)[0]).toEqual(cancel);
      }),
    );
  });

  test("permission requests, except their id, and their answers", () => {
    const option = fc.record(
      {
        optionId: fc.oneof(id, fc.constantFrom("approve", "reject", "yes", "no")),
        name: fc.string(),
        kind: fc.constantFrom(
          "allow_once",
          "allow_always",
          "reject_once",
          "reject_always",
          "ask_later",
          "unknown",
        ),
        _meta: fc.record({ is_primary: flag, other: jsonValue }, { requiredKeys: ["is_primary"] }),
      },
      { requiredKeys: ["optionId", "name", "kind"] },
    );
    const toolCall = fc.record(
      { toolCallId: id, title: fc.string(), rawInput: jsonValue },
      { requiredKeys: ["toolCallId", "title"] },
    );
    const options = fc.array(option, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(id, toolCall, options, fc.nat(), (sessionId, call, given, pick) => {
        const { client, agent } = ends();
        const params = overTheWire({ sessionId, toolCall: call, options: given });
        const [permissionRequest] = carry(
          agent,
          client,
          request(7, "session/request_permission", params),
        );
        expect(permissionRequest?.["method"]).toBe("session/request_permission");
        expect(permissionRequest && overTheWire(permissionRequest)["params"]).toEqual(params);
        const optionId = given[pick % given.length]?.optionId;
        const outcome = { outcome: { outcome: "selected", optionId } };
        expect(clean(carry(client, agent, result(permissionRequest?.["id"], outcome)))).toEqual([
          result(7, outcome),
        ]);
      }),
      runs,
    );
  });
});

/** The messages that one end writes for a message that the other end has read. */
const passedOn = (reader: Rewriter, writer: Rewriter, wire: JsonObject) =>
  clean(read(reader, wire).flatMap((message) => [...write(writer, message)]));

describe("a round trip through the handlers preserves crow", () => {
  const option = fc.record(
    {
      id: fc.oneof(id, fc.constantFrom("approve", "reject")),
      title: fc.string(),
      is_primary: flag,
    },
    { requiredKeys: ["id", "title"] },
  );
  const permissionRequest = fc.record({
    "@type": fc.constant("permission_request"),
    tool_call_id: id,
    title: fc.string(),
    arguments: jsonValue,
    permission_options: fc.array(option, { maxLength: 4 }),
  });

  test.each([
    ["updates", crowUpdate],
    ["permission requests", permissionRequest],
  ])("%s", (_, given) => {
    fc.assert(
      fc.property(id, given, (sessionId, fields) => {
        const { client, agent } = ends();
        const wire = overTheWire(update(sessionId, fields));
        expect(passedOn(client, agent, wire)).toEqual([wire]);
      }),
      runs,
    );
  });

  test("requests", () => {
    fc.assert(
      fc.property(crowRequest, (message) => {
        const { client, agent } = ends();
        const wire = overTheWire(message);
        expect(passedOn(agent, client, wire)).toEqual([wire]);
      }),
      runs,
    );
  });

  test("results", () => {
    fc.assert(
      fc.property(crowResult, ([method, value]) => {
        const { client, agent } = ends();
        carry(client, agent, request(1, method, {}));
        const wire = result(1, value);
        expect(passedOn(client, agent, wire)).toEqual([wire]);
      }),
      runs,
    );
  });
});
