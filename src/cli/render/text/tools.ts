import {
  type LocalToolCallStatus,
  mergeToolCall,
  type ToolCallChange,
  type ToolCallState,
} from "../../../acp/index.ts";
import { diffKey, type DiffText } from "./diff.ts";

/** The change that an update made to a tool call. */
export interface ToolDelta {
  readonly call: ToolCallState;
  /** The status to show, if it changed. */
  readonly status: LocalToolCallStatus | undefined;
  /** How long the call took; set once it has ended. */
  readonly ms: number | undefined;
  /** Diffs that earlier updates did not have. */
  readonly diffs: readonly DiffText[];
}

interface Seen {
  readonly call: ToolCallState;
  readonly since: number;
  readonly shown: LocalToolCallStatus | undefined;
  readonly diffs: ReadonlySet<string>;
}

/** Follows tool calls and reports only what is new, so that repeated updates are not shown again. */
export class ToolProgress {
  readonly #now: () => number;
  readonly #seen = new Map<string, Seen>();

  constructor(now: () => number) {
    this.#now = now;
  }

  take(change: ToolCallChange): ToolDelta {
    const old = this.#seen.get(change.toolCallId);
    const call = mergeToolCall(old?.call, change);
    const since = old?.since ?? this.#now();
    const diffs = call.content.flatMap((item) => (item.type === "diff" ? [item] : []));
    const fresh = diffs.filter((diff) => old?.diffs.has(diffKey(diff)) !== true);
    const running = call.status === "pending" || call.status === "in_progress";
    // Pending and running look the same to a reader: a call is shown when it starts and when it ends.
    const shown = running ? "in_progress" : call.status;
    const status = shown === old?.shown ? undefined : shown;
    this.#seen.set(change.toolCallId, {
      call,
      since,
      shown,
      diffs: new Set([...(old?.diffs ?? []), ...diffs.map(diffKey)]),
    });
    return { call, status, ms: running ? undefined : this.#now() - since, diffs: fresh };
  }
}
