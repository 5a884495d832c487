import { type JsonObject, numberField, objectField } from "../../base/index.ts";
import type { ContextUsage, TokenUsage } from "../../protocol/acp/index.ts";

/** What a turn or a session has used so far. */
export interface Spent {
  readonly usage: TokenUsage;
  /** Factory's credits. Not in 0.99. */
  readonly credits: number | undefined;
}

/** Reads token counts. Droid does not count tokens from the cache as input again. */
export function readSpent(object: JsonObject, key: string): Spent | undefined {
  const value = objectField(object, key);
  if (!value) return undefined;
  const count = (name: string): number => numberField(value, name) ?? 0;
  const inputTokens = count("inputTokens");
  const outputTokens = count("outputTokens");
  const cachedReadTokens = count("cacheReadTokens");
  const cachedWriteTokens = count("cacheCreationTokens");
  return {
    usage: {
      totalTokens: inputTokens + outputTokens + cachedReadTokens + cachedWriteTokens,
      inputTokens,
      outputTokens,
      thoughtTokens: count("thinkingTokens"),
      cachedReadTokens,
      cachedWriteTokens,
    },
    credits: numberField(value, "factoryCredits"),
  };
}

/** Reads how full the context is; undefined if Droid does not know its size. */
export function readContextUsage(value: JsonObject): ContextUsage | undefined {
  const used = numberField(value, "used") ?? 0;
  const size = numberField(value, "limit") ?? 0;
  if (!(size > 0) || !(used >= 0)) return undefined;
  return { used: Math.round(used), size: Math.round(size) };
}
