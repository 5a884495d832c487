import { expect, it } from "vitest";
import {
  finishMetadata,
  finishReason,
  turnUsage,
} from "../../../../src/client/ai/stream/finish.ts";

it.each([
  ["end_turn", "stop"],
  ["max_tokens", "length"],
  ["max_turn_requests", "other"],
  ["refusal", "content-filter"],
  ["cancelled", "other"],
  ["of the future", "other"],
])("the stop reason %s is %s", (raw, unified) => {
  expect(finishReason(raw)).toEqual({ unified, raw });
});

it("tokens are those that the agent reports", () => {
  const usage = {
    totalTokens: 20,
    inputTokens: 12,
    outputTokens: 8,
    thoughtTokens: 5,
    cachedReadTokens: 3,
    cachedWriteTokens: null,
  };
  expect(turnUsage({ usage })).toEqual({
    inputTokens: { total: 12, noCache: undefined, cacheRead: 3, cacheWrite: undefined },
    outputTokens: { total: 8, text: undefined, reasoning: 5 },
    raw: usage,
  });
});

it("tokens are unknown if the agent does not report them", () => {
  const { inputTokens, outputTokens } = turnUsage({});
  expect([inputTokens.total, outputTokens.total]).toEqual([undefined, undefined]);
});

it("the metadata contains only what is known", () => {
  const known = { sessionId: "s", turnId: "t", stopReason: "end_turn" };
  const metadata = finishMetadata({ ...known, plan: undefined, context: { used: 1, size: 2 } });
  expect(metadata).toEqual({ dragoman: { ...known, context: { used: 1, size: 2 } } });
});
