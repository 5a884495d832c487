import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { words } from "../../support/words.ts";
import { translator } from "../../../src/protocol/translator/index.ts";
import { isJsonObject, type JsonObject } from "../../../src/base/index.ts";
import { seed } from "../../support/soak.ts";

const info = { name: "x", version: "1" };
const initialize = (params: JsonObject): JsonObject => ({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params,
});
const answer = (result: JsonObject): JsonObject => ({ jsonrpc: "2.0", id: 0, result });

describe("a translator", () => {
  it.each([1, 2] as const)("passes everything between two sides of version %i", (version) => {
    const between = translator({ client: version, agent: version });
    const frame = initialize({ protocolVersion: version });
    expect(between.fromClient(frame)).toEqual({ toAgent: [frame], toClient: [] });
    expect(between.fromAgent(frame)).toEqual({ toAgent: [], toClient: [frame] });
    expect(between.losses.size).toBe(0);
  });

  it("passes everything if the agent turns out to speak v1 as well", () => {
    const between = translator({ client: 1, agent: 2 });
    between.fromClient(initialize({ protocolVersion: 1 }));
    const result = answer({ protocolVersion: 1, agentCapabilities: {} });
    expect(between.fromAgent(result).toClient).toEqual([result]);
    const load = { jsonrpc: "2.0", id: 1, method: "session/load", params: { sessionId: "s" } };
    expect(between.fromClient(load).toAgent).toEqual([load]);
  });

  it("passes everything if the client turns out to speak v1 as well", () => {
    const between = translator({ client: 2, agent: 1 });
    const frame = initialize({ protocolVersion: 1, clientInfo: info });
    expect(between.fromClient(frame).toAgent).toEqual([frame]);
    const result = answer({ protocolVersion: 1 });
    expect(between.fromAgent(result).toClient).toEqual([result]);
  });

  it("translates initialize in both directions", () => {
    const down = translator({ client: 1, agent: 2 });
    expect(down.fromClient(initialize({ protocolVersion: 1 })).toAgent).toMatchObject([
      { params: { protocolVersion: 2, info: { name: "unknown" } } },
    ]);
    expect(down.fromAgent(answer({ protocolVersion: 2, info })).toClient).toMatchObject([
      { result: { protocolVersion: 1, agentInfo: info } },
    ]);
    const up = translator({ client: 2, agent: 1 });
    expect(up.fromClient(initialize({ protocolVersion: 2, info })).toAgent).toMatchObject([
      { params: { protocolVersion: 1, clientInfo: info } },
    ]);
    expect(up.fromAgent(answer({ protocolVersion: 1 })).toClient).toMatchObject([
      { result: { protocolVersion: 2 } },
    ]);
  });

  it("passes an error for initialize, and a second attempt is translated", () => {
    const between = translator({ client: 1, agent: 2 });
    between.fromClient(initialize({ protocolVersion: 1 }));
    const error = { jsonrpc: "2.0", id: 0, error: { code: -32603, message: "No" } };
    expect(between.fromAgent(error).toClient).toEqual([error]);
    between.fromClient({ ...initialize({ protocolVersion: 1 }), id: 1 });
    const result = { protocolVersion: 2, info };
    expect(between.fromAgent({ jsonrpc: "2.0", id: 1, result }).toClient).toMatchObject([
      { id: 1, result: { protocolVersion: 1 } },
    ]);
  });

  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom("s", "t", "state_update", "idle", "running", "text", "diff", "terminal"),
  );
  const keys = fc.constantFrom(
    ...words(`
    sessionUpdate state messageId toolCallId terminalId content type status changes patch plan
    configOptions output options subject`),
  );
  const update = fc.dictionary(keys, value);
  const kinds = words(`
    state_update user_message agent_message agent_message_chunk tool_call tool_call_update
    tool_call_content_chunk terminal_update plan_update plan terminal_output_chunk
    config_option_update usage_update current_mode_update available_commands_update
    user_message_chunk plan_removed`);
  const methods = words(`
    session/prompt session/new session/resume session/load session/close session/set_mode
    session/set_config_option session/request_permission $/cancel_request session/cancel
    auth/login logout session/update elicitation/create fs/read_text_file session/list`);
  const frame = fc.oneof(
    fc
      .record({ sessionId: fc.constantFrom("s", "r"), update, kind: fc.constantFrom(...kinds) })
      .map((given): JsonObject => {
        const params = {
          sessionId: given.sessionId,
          update: { ...given.update, sessionUpdate: given.kind },
        };
        return { jsonrpc: "2.0", method: "session/update", params };
      }),
    fc
      .record({
        id: fc.nat(5),
        method: fc.constantFrom(...methods),
        more: fc.dictionary(keys, value),
      })
      .map(({ id, method, more }): JsonObject => {
        return { jsonrpc: "2.0", id, method, params: { sessionId: "s", ...more } };
      }),
    fc.record({ id: fc.nat(5), result: value }).map((given): JsonObject => given),
    fc.record({ id: fc.nat(5), error: value }).map((given): JsonObject => given),
    fc.dictionary(fc.constantFrom("id", "method", "params", "result", "error"), value),
  );
  const step = fc.record({ fromClient: fc.boolean(), frame });

  it.each([
    [1, 2],
    [2, 1],
  ] as const)(
    "never throws, whatever a client of v%i and an agent of v%i send",
    (client, agent) => {
      fc.assert(
        fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
          const between = translator({ client, agent });
          between.fromClient(
            initialize(client === 1 ? { protocolVersion: 1 } : { protocolVersion: 2, info }),
          );
          between.fromAgent(
            answer({ protocolVersion: agent, info, capabilities: { session: {} } }),
          );
          for (const one of steps) {
            const { toAgent, toClient } = one.fromClient
              ? between.fromClient(one.frame)
              : between.fromAgent(one.frame);
            expect([...toAgent, ...toClient].every((sent) => isJsonObject(sent))).toBe(true);
          }
        }),
        { seed, numRuns: 500 },
      );
    },
  );
});
