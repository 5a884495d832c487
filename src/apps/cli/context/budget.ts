import type { Cost, Update } from "../../../protocol/acp/index.ts";
import { counted } from "../../../base/index.ts";
import type { Values } from "../shell/parse.ts";
import { amountOption, countOption } from "../shell/option-values.ts";

export interface BudgetLimits {
  readonly cost: number | undefined;
  readonly tokens: number | undefined;
  readonly toolCalls: number | undefined;
}

export function limitsOfBudget(values: Values): BudgetLimits {
  return {
    cost: amountOption(values, "max-cost"),
    tokens: countOption(values, "max-tokens"),
    toolCalls: countOption(values, "max-tool-calls"),
  };
}

/**
 * Adds up what a run uses, and compares it with the limits. It counts all turns of the run. Cost and
 * tokens are those that the agent reports, so a limit without a report has no effect.
 */
export class Budget {
  readonly #limits: BudgetLimits;
  readonly #calls = new Set<string>();
  #earlierCalls = 0;
  /** The cost of the session before this run, if it is known. */
  #costBefore: number | undefined;
  #cost: { readonly amount: number; readonly currency: string } | undefined;
  #context: number | undefined;
  #turnTokens: number | undefined;
  #reportsMissing = false;

  constructor(limits: BudgetLimits) {
    this.#limits = limits;
  }

  /** Begins a turn. `cost` is what the session has cost so far. */
  beginTurn(cost: Cost | undefined): void {
    this.#costBefore ??= cost?.amount ?? 0;
    // Ids of tool calls may start over in each turn.
    this.#earlierCalls += this.#calls.size;
    this.#calls.clear();
  }

  take(update: Update): void {
    if (update.type === "tool_call" || update.type === "tool_call_update") {
      // Beyond the limit, the number does not matter, and an agent may go on for long.
      if (this.#limits.toolCalls !== undefined && this.passed === undefined)
        this.#calls.add(update.toolCallId);
    } else if (update.type === "usage_update") {
      this.#context = Math.max(this.#context ?? 0, update.used);
      this.#cost = update.cost ?? this.#cost;
    }
  }

  /** Counts the tokens that the end of a turn reports. */
  endTurn(tokens: number | undefined): void {
    if (tokens !== undefined) this.#turnTokens = (this.#turnTokens ?? 0) + tokens;
  }

  /** The first limit that was passed, with the figure, as a sentence; undefined if there is none. */
  get passed(): string | undefined {
    const { cost, tokens, toolCalls } = this.#limits;
    const spent = this.#spent;
    if (cost !== undefined && spent !== undefined && spent > cost)
      return `the run cost ${rounded(spent)} ${this.#cost?.currency ?? ""}, more than --max-cost ${cost}`;
    const used = this.#tokens;
    if (tokens !== undefined && used !== undefined && used > tokens)
      return `the run used ${used} tokens, more than --max-tokens ${tokens}`;
    const calls = this.#earlierCalls + this.#calls.size;
    if (toolCalls !== undefined && calls > toolCalls)
      return `the run made ${counted(calls, "tool call")}, more than --max-tool-calls ${toolCalls}`;
    return undefined;
  }

  /** Limits for which the agent has reported nothing, as notes. They are returned once. */
  missingReports(agent: string): readonly string[] {
    if (this.#reportsMissing) return [];
    this.#reportsMissing = true;
    const { cost, tokens } = this.#limits;
    return [
      ...(cost !== undefined && this.#cost === undefined
        ? [`${agent} reports no cost, so --max-cost has no effect`]
        : []),
      ...(tokens !== undefined && this.#tokens === undefined
        ? [`${agent} reports no tokens, so --max-tokens has no effect`]
        : []),
    ];
  }

  /** Agents report the cost of the whole session. */
  get #spent(): number | undefined {
    return this.#cost && this.#cost.amount - (this.#costBefore ?? 0);
  }

  /** The context is the least that was used. The tokens of the turns are more exact, but come at their end. */
  get #tokens(): number | undefined {
    if (this.#context === undefined) return this.#turnTokens;
    return Math.max(this.#context, this.#turnTokens ?? 0);
  }
}

/** Without the noise of a subtraction such as 0.3 - 0.1. */
function rounded(amount: number): number {
  return Number(amount.toFixed(6));
}
