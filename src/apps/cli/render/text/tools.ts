import {
  KeptMap,
  type LocalToolCallStatus,
  mergeToolCall,
  TOOL_CALL_RULES,
  type ToolCallPatch,
  type ToolCallState,
} from "../../../../protocol/acp/index.ts";
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

/** An agent may change the diffs of a call any number of times. */
const KEPT_DIFFS = 1000;
const DIFF_KEY_CHARS = 44;

/**
 * Follows tool calls and reports only what is new, so that repeated updates are not shown again. Of
 * calls that have ended, it keeps as much as a session does.
 */
export class ToolProgress {
  readonly #now: () => number;
  readonly #seen = new KeptMap<Seen>({
    count: TOOL_CALL_RULES.count,
    chars: TOOL_CALL_RULES.chars,
    weigh: ({ call, diffs }) => TOOL_CALL_RULES.weigh(call) + diffs.size * DIFF_KEY_CHARS,
    isOver: ({ call }) => TOOL_CALL_RULES.isOver(call),
    trim: (seen) =>
      seen.call.trimmed
        ? seen
        : { ...seen, call: TOOL_CALL_RULES.trim(seen.call), diffs: new Set() },
  });

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The title of a tool call, as the agent sent it; undefined if it has none. */
  titleOf(toolCallId: string): string | undefined {
    const call = this.#seen.get(toolCallId)?.call;
    return call === undefined || call.title === "" ? call?.name : call.title;
  }

  take(change: ToolCallPatch): ToolDelta {
    const old = this.#seen.get(change.toolCallId);
    const call = mergeToolCall(old?.call, change);
    const since = old?.since ?? this.#now();
    const diffs = call.content.flatMap((item) => (item.type === "diff" ? [item] : []));
    const keys = diffs.map(diffKey);
    const fresh = diffs.filter((_, n) => old?.diffs.has(keys[n] ?? "") !== true);
    const running = call.status === "pending" || call.status === "in_progress";
    // Pending and running look the same to a reader: a call is shown when it starts and when it ends.
    const shown = running ? "in_progress" : call.status;
    const status = shown === old?.shown ? undefined : shown;
    this.#seen.set(change.toolCallId, {
      call,
      since,
      shown,
      diffs: new Set([...(old?.diffs ?? []), ...keys].slice(-KEPT_DIFFS)),
    });
    return { call, status, ms: running ? undefined : this.#now() - since, diffs: fresh };
  }
}
