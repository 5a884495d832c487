import type { Meta } from "../meta.ts";
import { type KeepRules, weightOf } from "./bounded-map.ts";
import type { ToolCallLocation, ToolCallStatus, ToolKind } from "../types.ts";
import type { ShownContent, ToolCallChange, ToolCallPatch } from "../updates.ts";

/** The statuses of the wire, and `cancelled`, which in v1 only the client knows. */
export type LocalToolCallStatus = ToolCallStatus | "cancelled";

/** Everything known about one tool call. Immutable: a merge creates a new object. */
export interface ToolCallState {
  readonly toolCallId: string;
  /** The title for the user; empty if the agent sent none. */
  readonly title: string;
  readonly name: string | undefined;
  /** `other` when the agent sent no kind or one that this version does not know. */
  readonly kind: ToolKind;
  readonly rawKind: string | undefined;
  /** The status; `cancelled` if the turn was cancelled before the call finished. */
  readonly status: LocalToolCallStatus;
  readonly rawStatus: string | undefined;
  /** The content that the tool produced: text, diffs and terminals. */
  readonly content: readonly ShownContent[];
  /** The files that the tool works on. */
  readonly locations: readonly ToolCallLocation[];
  readonly rawInput: unknown;
  readonly rawOutput: unknown;
  readonly meta: Meta | undefined;
  /** True if the client may cancel this call alone, with `session.cancelToolCall`. */
  readonly canCancel?: true | undefined;
  /** True if its content, input, output and meta were removed to save memory. */
  readonly trimmed?: true | undefined;
}

/**
 * Merges a patch from the agent into the known state of a tool call. Pure, and never throws. Calls and
 * updates may come in any order: an update for an unknown id starts the call. Fields that are omitted
 * or null on the wire keep their values. Content and locations replace the old lists.
 *
 * A call that the client cancelled stays cancelled until the agent reports its end or sends a new
 * `tool_call` for it, because an agent that has not read the cancel yet may still report progress.
 */
export function mergeToolCall(
  current: ToolCallState | undefined,
  patch: ToolCallPatch | ToolCallChange,
): ToolCallState {
  const isNewCall = "type" in patch && patch.type === "tool_call";
  const status = mergeStatus(current?.status, patch, isNewCall);
  const canCancel = (patch.canCancel ?? current?.canCancel ?? false) && !isFinished(status);
  const isCleared = (field: string): boolean => patch.cleared?.includes(field) === true;
  return {
    toolCallId: patch.toolCallId,
    title: patch.title ?? (isCleared("title") ? "" : (current?.title ?? "")),
    name: patch.name ?? (isCleared("name") ? undefined : current?.name),
    kind: patch.kind ?? current?.kind ?? "other",
    rawKind: patch.rawKind ?? current?.rawKind,
    status,
    rawStatus: patch.rawStatus ?? current?.rawStatus,
    content: patch.content ?? current?.content ?? [],
    locations: patch.locations ?? current?.locations ?? [],
    rawInput: patch.rawInput ?? (isCleared("rawInput") ? undefined : current?.rawInput),
    rawOutput: patch.rawOutput ?? (isCleared("rawOutput") ? undefined : current?.rawOutput),
    meta: patch.meta ?? current?.meta,
    ...(canCancel ? { canCancel } : {}),
    ...(current?.trimmed ? { trimmed: true } : {}),
  };
}

function mergeStatus(
  current: LocalToolCallStatus | undefined,
  patch: ToolCallPatch,
  isNewCall: boolean,
): LocalToolCallStatus {
  // Not a v1 status, but v2 agents send it and its meaning is clear.
  if (patch.rawStatus === "cancelled") return "cancelled";
  const next = patch.status;
  if (next === undefined) return current ?? "pending";
  if (current === "cancelled" && !isNewCall && !isFinished(next)) return current;
  return next;
}

/** Whether a call with this status is over. */
export function isFinished(status: LocalToolCallStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/**
 * Marks every unfinished call as cancelled, in place, and returns the changed calls. Use it when a
 * client cancels a turn, because the agent need not report on each call anymore.
 */
export function cancelUnfinished(calls: Map<string, ToolCallState>): readonly ToolCallState[] {
  const changed: ToolCallState[] = [];
  for (const call of calls.values()) {
    if (!isFinished(call.status)) changed.push({ ...call, status: "cancelled" });
  }
  for (const call of changed) calls.set(call.toolCallId, call);
  return changed;
}

/** How many tool calls are kept: the newest, with their status. */
const KEPT_CALLS = 1000;
/** How much of their content, input and output is kept. */
const KEPT_CHARS = 16 * 1024 * 1024;

/** How much of the tool calls is kept. An agent may make any number of them, of any size. */
export const TOOL_CALL_RULES: Required<KeepRules<ToolCallState>> = {
  count: KEPT_CALLS,
  chars: KEPT_CHARS,
  weigh: ({ title, name, rawKind, rawStatus, content, locations, rawInput, rawOutput, meta }) =>
    weightOf(title) +
    weightOf(name) +
    weightOf(rawKind) +
    weightOf(rawStatus) +
    weightOf(content) +
    weightOf(locations) +
    weightOf(rawInput) +
    weightOf(rawOutput) +
    weightOf(meta),
  isOver: ({ status }) => isFinished(status),
  trim: (call) =>
    call.trimmed
      ? call
      : {
          ...call,
          content: [],
          rawInput: undefined,
          rawOutput: undefined,
          meta: undefined,
          trimmed: true,
        },
};
