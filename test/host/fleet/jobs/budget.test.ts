import { describe, expect, it } from "vitest";
import { JobSpending } from "../../../../src/host/fleet/jobs/conversation.ts";
import type { FleetEntry } from "../../../../src/host/fleet/index.ts";

const call = (toolCallId: string): FleetEntry => ({
  type: "update",
  params: { update: { sessionUpdate: "tool_call", toolCallId } },
});
const usage = (used: number, amount: number): FleetEntry => ({
  type: "update",
  params: { update: { sessionUpdate: "usage_update", used, cost: { amount, currency: "USD" } } },
});
const end = (totalTokens: number): FleetEntry => ({
  type: "turn_ended",
  id: "1",
  result: { stopReason: "end_turn", usage: { totalTokens } },
});

describe("the spending of a job", () => {
  it.each<[string, object, readonly FleetEntry[], string | undefined]>([
    ["no limits", {}, [call("a"), usage(1e9, 1e9)], undefined],
    ["a call that is reported twice", { toolCalls: 1 }, [call("a"), call("a")], undefined],
    ["calls of two turns", { toolCalls: 1 }, [call("a"), end(0), call("a")], "2 tool calls"],
    ["a cost", { cost: 0.5 }, [usage(1, 0.6)], "cost 0.6"],
    ["tokens of the context", { tokens: 10 }, [usage(11, 0)], "used 11 tokens"],
    ["tokens of the turns", { tokens: 10 }, [end(6), end(6)], "used 12 tokens"],
    ["tokens at the limit", { tokens: 12 }, [end(6), end(6)], undefined],
  ])("with %s", (_, budget, entries, passed) => {
    const spending = new JobSpending(budget);
    for (const entry of entries) spending.take(entry);
    if (passed === undefined) expect(spending.passed).toBeUndefined();
    else expect(spending.passed).toContain(passed);
  });
});
