import { describe, expect, it } from "vitest";
import {
  contextReport,
  contextUse,
  turnUsage,
} from "../../../../src/apps/droid-acp/session/usage.ts";

describe("usage", () => {
  const stats = {
    used: 1000.4,
    remaining: 9000,
    limit: 10_000,
    accuracy: undefined,
    updatedAt: undefined,
  };
  it("is taken from the counts of Droid", () => {
    expect(contextUse(stats)).toEqual({ used: 1000, size: 10_000 });
    expect(contextUse({ ...stats, limit: 0 })).toBeUndefined();
    const usage = {
      inputTokens: 1,
      outputTokens: 2,
      cacheCreationTokens: 3,
      cacheReadTokens: 4,
      thinkingTokens: 5,
      factoryCredits: 0,
    };
    expect(turnUsage(usage)).toMatchObject({
      totalTokens: 10,
      thoughtTokens: 5,
      cachedReadTokens: 4,
    });
  });
  it("is printed as a table", () => {
    const breakdown = {
      modelId: "m",
      contextBudget: 5,
      usedTokens: 2,
      freeTokens: 3,
      categories: [
        { name: "Tools", tokens: 900 },
        { name: "None", tokens: 0 },
      ],
      raw: {},
    };
    expect(contextReport(stats, breakdown)).toBe(
      "Context: 1,000 tokens of 10,000 (10 %)\n\n| | Tokens |\n|---|---:|\n| Tools | 900 |\n",
    );
    expect(contextReport(undefined, undefined)).toContain("does not report");
  });
});
