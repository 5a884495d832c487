import { describe, expect, it } from "vitest";
import { readContextUsage, readSpent } from "../../../src/droid/protocol/usage.ts";

describe("the tokens of Droid", () => {
  it("are counted as in ACP, and its credits apart", () => {
    const tokenUsage = {
      inputTokens: 1,
      outputTokens: 2,
      cacheCreationTokens: 3,
      cacheReadTokens: 4,
      thinkingTokens: 5,
      factoryCredits: 6,
    };
    expect(readSpent({ tokenUsage }, "tokenUsage")).toEqual({
      usage: {
        totalTokens: 10,
        inputTokens: 1,
        outputTokens: 2,
        thoughtTokens: 5,
        cachedReadTokens: 4,
        cachedWriteTokens: 3,
      },
      credits: 6,
    });
  });
  it("are not known if Droid does not send them", () => {
    expect(readSpent({}, "tokenUsage")).toBeUndefined();
    expect(readSpent({ tokenUsage: { inputTokens: 1 } }, "tokenUsage")).toMatchObject({
      usage: { totalTokens: 1, outputTokens: 0 },
      credits: undefined,
    });
  });
});

describe("the context", () => {
  it.each([
    [
      { used: 1000.4, limit: 10_000 },
      { used: 1000, size: 10_000 },
    ],
    [{ used: 1000, limit: 0 }, undefined],
    [{ used: -1, limit: 10 }, undefined],
    [{}, undefined],
  ])("of which Droid reports %j", (stats, usage) => {
    expect(readContextUsage(stats)).toEqual(usage);
  });
});
