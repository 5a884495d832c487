import { describe, expect, it } from "vitest";
import { toUpdate, type Update } from "../../../../src/protocol/acp/index.ts";
import { Budget, type BudgetLimits } from "../../../../src/apps/cli/context/budget.ts";

const NONE: BudgetLimits = { cost: undefined, tokens: undefined, toolCalls: undefined };
const call = (toolCallId: string): Update =>
  toUpdate({ sessionUpdate: "tool_call", toolCallId, title: "" });
const usage = (used: number, amount?: number): Update =>
  toUpdate({
    sessionUpdate: "usage_update",
    used,
    size: 1000,
    ...(amount === undefined ? {} : { cost: { amount, currency: "USD" } }),
  });

describe("a budget", () => {
  it("counts each tool call once, over all turns", () => {
    const budget = new Budget({ ...NONE, toolCalls: 2 });
    budget.beginTurn(undefined);
    for (const id of ["a", "b", "a", "b"]) budget.take(call(id));
    expect(budget.passed).toBeUndefined();
    // The agent starts over with its ids.
    budget.beginTurn(undefined);
    budget.take(call("a"));
    expect(budget.passed).toBe("the run made 3 tool calls, more than --max-tool-calls 2");
  });

  it("counts the cost of this run, not that of the session before it", () => {
    const budget = new Budget({ ...NONE, cost: 0.2 });
    budget.beginTurn({ amount: 0.1, currency: "USD" });
    budget.take(usage(1, 0.3));
    expect(budget.passed).toBeUndefined();
    budget.beginTurn({ amount: 0.3, currency: "USD" });
    budget.take(usage(1, 0.31));
    expect(budget.passed).toBe("the run cost 0.21 USD, more than --max-cost 0.2");
  });

  it("takes the larger of the context and the tokens of all turns", () => {
    const budget = new Budget({ ...NONE, tokens: 100 });
    budget.beginTurn(undefined);
    budget.take(usage(100));
    budget.take(usage(20));
    expect(budget.passed).toBeUndefined();
    budget.endTurn(60);
    expect(budget.passed).toBeUndefined();
    budget.endTurn(60);
    expect(budget.passed).toBe("the run used 120 tokens, more than --max-tokens 100");
  });
});
