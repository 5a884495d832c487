import type { Usage } from "../../../protocol/acp/index.ts";
import { definedFields, isJsonObject, type JsonObject } from "../../../base/index.ts";
import type { TurnTokens, UsageFacts } from "../render/renderer.ts";

/**
 * The usage that an agent reports: the context and the cost of the session from its updates, the tokens
 * of the turn from the result of the turn. Undefined if it reports neither; unknown figures are left out.
 */
export function usageFacts(session: Usage | undefined, result: unknown): UsageFacts | undefined {
  const tokens = tokensOf(isJsonObject(result) ? result["usage"] : undefined);
  if (session === undefined && tokens === undefined) return undefined;
  return { ...session, ...definedFields({ tokens }) };
}

function tokensOf(usage: unknown): TurnTokens | undefined {
  if (!isJsonObject(usage)) return undefined;
  const total = count(usage, "totalTokens");
  if (total === undefined) return undefined;
  return {
    total,
    ...definedFields({
      input: count(usage, "inputTokens"),
      output: count(usage, "outputTokens"),
      thought: count(usage, "thoughtTokens"),
      cachedRead: count(usage, "cachedReadTokens"),
      cachedWrite: count(usage, "cachedWriteTokens"),
    }),
  };
}

function count(usage: JsonObject, name: string): number | undefined {
  const value = usage[name];
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}
