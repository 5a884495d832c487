import {
  type LocalToolCallStatus,
  mergeToolCall,
  type ToolCallChange,
  type ToolCallState,
} from "../../../acp/index.ts";
import { diffKey, type DiffText } from "./diff.ts";

/** What is new about a tool call. */
export interface ToolNews {
  readonly call: ToolCallState;
  /** Its status, if that is new. */
  readonly status: LocalToolCallStatus | undefined;
  /** How long it took; set when it has ended. */
  readonly ms: number | undefined;
  /** Diffs that were not there before. */
  readonly diffs: readonly DiffText[];
}

interface Seen {
  readonly call: ToolCallState;
  readonly since: number;
  readonly shown: LocalToolCallStatus | undefined;
  readonly diffs: ReadonlySet<string>;
}

/** Follows tool calls and tells what is new, so that repeated updates are not told again. */
export class ToolProgress {
  readonly #now: () => number;
  readonly #seen = new Map<string, Seen>();

  constructor(now: () => number) {
    this.#now = now;
  }

  take(change: ToolCallChange): ToolNews {
    const old = this.#seen.get(change.toolCallId);
    const call = mergeToolCall(old?.call, change);
    const since = old?.since ?? this.#now();
    const diffs = call.content.flatMap((item) => (item.type === "diff" ? [item] : []));
    const fresh = diffs.filter((diff) => old?.diffs.has(diffKey(diff)) !== true);
    const running = call.status === "pending" || call.status === "in_progress";
    // Pending and running are one to a reader; a call is told when it begins and when it ends.
    const told = running ? "in_progress" : call.status;
    const status = told === old?.shown ? undefined : told;
    this.#seen.set(change.toolCallId, {
      call,
      since,
      shown: told,
      diffs: new Set([...(old?.diffs ?? []), ...diffs.map(diffKey)]),
    });
    return { call, status, ms: running ? undefined : this.#now() - since, diffs: fresh };
  }
}
