import { describe, expect, test } from "vitest";
import {
  ProtocolViolation,
  readAuthStatus,
  readMcpOutcome,
  readPromptResult,
  readProviders,
  readSessionStatus,
  readSessionTitle,
} from "../../../../src/protocol/acp/index.ts";

const authStatus = (result: unknown) => readAuthStatus("auth/status", result);

describe("results of unstable methods", () => {
  test("an unknown auth state reads as unknown, and malformed accounts are left out", () => {
    expect(authStatus({ state: "_sleeping", accounts: [{ label: "Key" }, { name: "x" }] })).toEqual(
      {
        state: "unknown",
        accounts: [{ label: "Key" }],
      },
    );
    expect(authStatus({ state: "not_required" })).toEqual({ state: "not_required", accounts: [] });
  });

  test("an unknown session status reads as saved", () => {
    expect(readSessionStatus({ status: "open" })).toBe("open");
    expect(readSessionStatus({ status: "frozen" })).toBe("saved");
  });

  test("a disabled provider has no routing", () => {
    const main = { providerId: "main", supported: ["openai"], required: true };
    expect(readProviders({ providers: [{ ...main, current: null }] })).toEqual([
      { ...main, current: undefined },
    ]);
    const current = { apiType: "openai", baseUrl: "http://localhost" };
    expect(readProviders({ providers: [{ ...main, current }] })).toEqual([{ ...main, current }]);
  });

  test("an MCP result may be null, and counts if there is an error too", () => {
    const error = { code: 1, message: "no" };
    expect(readMcpOutcome({ result: null })).toEqual({ result: null });
    expect(readMcpOutcome({ result: 1, error })).toEqual({ result: 1 });
    expect(readMcpOutcome({ error })).toEqual({ error });
  });

  test("the usage of a turn is read with the switch only", () => {
    const usage = { totalTokens: 3, inputTokens: 1, outputTokens: 2 };
    const raw = { stopReason: "end_turn", usage };
    expect(readPromptResult(raw, true)).toEqual({ stopReason: "end_turn", usage, raw });
    expect(readPromptResult(raw)).toEqual({ stopReason: "end_turn", raw });
    const odd = { stopReason: "end_turn", usage: { totalTokens: -1 } };
    expect(readPromptResult(odd, true)).toEqual({ stopReason: "end_turn", raw: odd });
  });

  test.each<[string, () => unknown]>([
    ["auth/status without a state", () => authStatus({})],
    ["providers/list without providers", () => readProviders({})],
    ["providers/list with a malformed provider", () => readProviders({ providers: [{}] })],
    ["session/status without a status", () => readSessionStatus({ status: 1 })],
    ["session/set_title without a title", () => readSessionTitle(null)],
    ["mcp/message without an outcome", () => readMcpOutcome({ error: { code: "x" } })],
  ])("%s violates the protocol", (_, read) => {
    expect(read).toThrow(ProtocolViolation);
  });
});
