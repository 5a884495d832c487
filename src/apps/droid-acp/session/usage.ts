/** Token counts in the shapes of ACP. Pure. */
import type { TurnUsage } from "../../../protocol/acp/index.ts";
import type { ContextBreakdown, ContextStats, TokenUsage } from "../../../droid/index.ts";

interface ContextUse {
  readonly used: number;
  readonly size: number;
}

/** How full the context is, or undefined if Droid does not know its size. */
export function contextUse({ used, limit }: ContextStats): ContextUse | undefined {
  if (!(limit > 0) || !(used >= 0)) return undefined;
  return { used: Math.round(used), size: Math.round(limit) };
}

/** The tokens that a turn has used. */
export function turnUsage(usage: TokenUsage): TurnUsage {
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens, thinkingTokens } = usage;
  return {
    totalTokens: inputTokens + outputTokens + cacheReadTokens + cacheCreationTokens,
    inputTokens,
    outputTokens,
    thoughtTokens: thinkingTokens,
    cachedReadTokens: cacheReadTokens,
    cachedWriteTokens: cacheCreationTokens,
  };
}

/** The answer to `/context`. */
export function contextReport(
  stats: ContextStats | undefined,
  breakdown: ContextBreakdown | undefined,
): string {
  if (!stats && !breakdown) return "This version of Droid does not report what fills the context.";
  const used = stats?.used ?? breakdown?.usedTokens ?? 0;
  const limit = stats?.limit ?? breakdown?.contextBudget;
  const share = limit ? ` of ${count(limit)} (${Math.round((used / limit) * 100)} %)` : "";
  const rows = (breakdown?.categories ?? [])
    .filter(({ tokens }) => tokens > 0)
    .map(({ name, tokens }) => `| ${name} | ${count(tokens)} |`);
  const table = rows.length === 0 ? [] : ["", "| | Tokens |", "|---|---:|", ...rows];
  return [`Context: ${count(used)} tokens${share}`, ...table, ""].join("\n");
}

function count(tokens: number): string {
  return Math.round(tokens).toLocaleString("en-US");
}
