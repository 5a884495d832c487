import fc from "fast-check";
import { expect, test } from "vitest";
import { words } from "../../support/words.ts";

import {
  AGENT_METHODS,
  agentHas,
  applyUpdate,
  canonicalDialect,
  CLIENT_METHODS,
  clientHas,
  createSessionState,
  crowDialect,
  detectingRewriter,
  isCrowRefusal,
  METHOD_ALIASES,
  paramFaults,
  ProtocolViolation,
  readConfigOptionsResult,
  readElicitationResult,
  readInitializeResult,
  readListResult,
  readNewSessionResult,
  readPermissionResult,
  readPromptResult,
  readSetupResult,
  readTerminalOutputResult,
  toUpdate,
} from "../../../src/protocol/acp/index.ts";

const methods = [
  ...Object.values(AGENT_METHODS),
  ...Object.values(CLIENT_METHODS),
  ...METHOD_ALIASES.keys(),
  "session/fork",
  "$/cancel_request",
  "cancel",
  "permission_response",
  "_vendor/x",
];
const kinds = words(`
  agent_message_chunk agent_thought_chunk user_message_chunk tool_call tool_call_update plan
  available_commands_update current_mode_update config_option_update session_info_update
  usage_update notice compaction_update compaction_summary_chunk diff agent_message_text
  tool_call_start plan_update permission_request`);

// Values with keys and words of the protocol, and anything else in between.
const key = fc.oneof(
  fc.constantFrom(
    ...words(`
    sessionId session_id toolCallId tool_call_id content type text entries options
    permission_options mcpServers env headers update toolCall outcome stopReason stop_reason
    protocol_version agent_capabilities prompt_capabilities _meta __proto__ constructor`),
  ),
  fc.string(),
);
const word = fc.oneof(
  fc.constantFrom("text", "image", "resource", "content", "diff", "select", "error", ...kinds),
  fc.string(),
);
const { value: anything } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    word,
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc
      .array(fc.tuple(key, tie("value")), { maxLength: 6 })
      // A round trip through JSON, as on the wire, makes a key "__proto__" an own property.
      .map((entries) => JSON.parse(JSON.stringify(Object.fromEntries(entries)))),
  ),
}));
const object = fc
  .array(fc.tuple(key, anything), { maxLength: 8 })
  .map((entries) => Object.fromEntries(entries));

const runs = { numRuns: 3000 };

test("toUpdate and applyUpdate never throw, and keep values they cannot read", () => {
  const state = createSessionState();
  const update = fc.oneof(
    anything,
    fc.tuple(fc.constantFrom(...kinds), object).map(([sessionUpdate, rest]) => ({
      ...rest,
      sessionUpdate,
    })),
  );
  fc.assert(
    fc.property(update, (raw) => {
      const read = toUpdate(raw);
      expect(read.raw).toBe(raw);
      expect(typeof read.text).toBe("string");
      if (read.type !== "agent_message_chunk") expect(read.text).toBe("");
      applyUpdate(state, read);
    }),
    runs,
  );
});

test("checks of params and capabilities never throw", () => {
  fc.assert(
    fc.property(fc.constantFrom(...methods), anything, (method, params) => {
      for (const fault of paramFaults(method, params)) {
        expect(typeof fault.path).toBe("string");
        expect(fault.message.length).toBeLessThan(200);
      }
      agentHas(params, "sessionCapabilities.list");
      clientHas(params, "session.configOptions.boolean");
    }),
    runs,
  );
});

test("result readers return a value or throw a ProtocolViolation", () => {
  const readers = [
    readInitializeResult,
    readListResult,
    readPromptResult,
    readPermissionResult,
    readConfigOptionsResult,
    readTerminalOutputResult,
    readElicitationResult,
    (result: unknown) => readNewSessionResult("session/new", result),
    (result: unknown) => readSetupResult("session/load", result),
  ];
  fc.assert(
    fc.property(fc.constantFrom(...readers), anything, (read, result) => {
      try {
        read(result);
      } catch (error) {
        expect(error).toBeInstanceOf(ProtocolViolation);
      }
    }),
    runs,
  );
});

test("no dialect throws on any sequence of messages", () => {
  const id = fc.oneof(fc.constantFrom(1, 2, "crow-permission-1", 0x4000_0000), fc.constant(null));
  const message = fc.oneof(
    object,
    fc.record({ method: fc.constantFrom(...methods), params: anything }),
    fc.record({ id, method: fc.constantFrom(...methods), params: anything }),
    fc.record({ id, result: anything }),
    fc.record({ id, error: anything }),
    fc.record({
      method: fc.constant("session/update"),
      params: fc.record({
        session_id: fc.string(),
        update: fc.tuple(fc.constantFrom(...kinds), object).map(([tag, rest]) => ({
          ...rest,
          "@type": tag,
        })),
      }),
    }),
  );
  const make = fc.constantFrom(
    () => canonicalDialect(),
    () => crowDialect("client"),
    () => crowDialect("agent"),
    () => detectingRewriter("client"),
    () => detectingRewriter("agent"),
  );
  const step = fc.tuple(fc.boolean(), message);
  fc.assert(
    fc.property(make, fc.array(step, { maxLength: 12 }), (create, steps) => {
      const rewriter = create();
      for (const [inbound, frame] of steps) {
        JSON.stringify(inbound ? rewriter.read(frame) : rewriter.write(frame));
      }
    }),
    runs,
  );
});

test("isCrowRefusal never throws", () => {
  fc.assert(fc.property(anything, (value) => typeof isCrowRefusal(value) === "boolean"));
});
