import { asObject, numberField, objectField, stringField } from "../../../base/index.ts";
import type { FleetEntry } from "../session/entries.ts";

/** The most that a job may use. Cost and tokens are those that the agent reports. */
export interface JobBudget {
  /** In the agent's currency. Default: no limit. */
  readonly cost?: number | undefined;
  /** Default: no limit. */
  readonly tokens?: number | undefined;
  /** Default: no limit. */
  readonly toolCalls?: number | undefined;
}

/** Adds up what a job uses, over all its turns. */
export class JobSpending {
  readonly #budget: JobBudget;
  readonly #calls = new Set<string>();
  #earlierCalls = 0;
  #cost = 0;
  #context = 0;
  #turnTokens = 0;

  constructor(budget: JobBudget) {
    this.#budget = budget;
  }

  /** Counts an entry of the job's log. */
  take(entry: FleetEntry): void {
    if (entry.type === "turn_ended") return this.#endTurn(entry.result ?? {});
    if (entry.type !== "update" || this.passed !== undefined) return undefined;
    const update = asObject(entry.params["update"]);
    switch (update["sessionUpdate"]) {
      case "tool_call":
      case "tool_call_update":
        this.#calls.add(stringField(update, "toolCallId") ?? "");
        return undefined;
      case "usage_update":
        this.#context = Math.max(this.#context, numberField(update, "used") ?? 0);
        this.#cost = numberField(objectField(update, "cost") ?? {}, "amount") ?? this.#cost;
        return undefined;
      default:
        return undefined;
    }
  }

  /** The first limit that was passed, as a sentence; undefined if there is none. */
  get passed(): string | undefined {
    const { cost = Infinity, tokens = Infinity, toolCalls = Infinity } = this.#budget;
    const used = Math.max(this.#context, this.#turnTokens);
    const calls = this.#earlierCalls + this.#calls.size;
    if (this.#cost > cost) return `the job cost ${this.#cost}, more than its budget of ${cost}`;
    if (used > tokens) return `the job used ${used} tokens, more than its budget of ${tokens}`;
    if (calls > toolCalls) {
      return `the job made ${calls} tool calls, more than its budget of ${toolCalls}`;
    }
    return undefined;
  }

  #endTurn(result: object): void {
    const usage = objectField(asObject(result), "usage") ?? {};
    this.#turnTokens += numberField(usage, "totalTokens") ?? 0;
    // Ids of tool calls may start over in each turn.
    this.#earlierCalls += this.#calls.size;
    this.#calls.clear();
  }
}
