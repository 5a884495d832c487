import type { JsonObject } from "../../wire/index.ts";
import type { ToolCallContent, ToolCallLocation } from "../types.ts";
import type { ToolCallChange, ToolCallPatch } from "../updates.ts";
import type { ToolCallStatus, ToolKind } from "../vocabulary.ts";

/** Statuses of the wire, and `cancelled`, which v1 has only as local knowledge. */
export type LocalToolCallStatus = ToolCallStatus | "cancelled";

/** All that is known of one tool call. Immutable: a merge makes a new one. */
export interface ToolCallState {
  readonly toolCallId: string;
  readonly title: string;
  readonly name: string | undefined;
  /** `other` when the agent gave none or a word this version does not know. */
  readonly kind: ToolKind;
  /** The agent's last word for the kind. */
  readonly rawKind: string | undefined;
  readonly status: LocalToolCallStatus;
  /** The agent's last word for the status. */
  readonly rawStatus: string | undefined;
  readonly content: readonly ToolCallContent[];
  readonly locations: readonly ToolCallLocation[];
  readonly rawInput: unknown;
  readonly rawOutput: unknown;
  readonly meta: JsonObject | undefined;
}

/**
 * Merges what an agent says of a tool call into what is known. Pure and total; takes calls and
 * updates in any order, an update for an unseen id starts the call. What the patch does not say
 * (omitted or null on the wire) stays; content and locations replace the old lists.
 *
 * A call that was cancelled here stays so until the agent reports an end for it or announces it
 * anew: an agent that has not yet read the cancel may still report progress.
 */
export function mergeToolCall(
  current: ToolCallState | undefined,
  patch: ToolCallPatch | ToolCallChange,
): ToolCallState {
  const announced = "type" in patch && patch.type === "tool_call";
  return {
    toolCallId: patch.toolCallId,
    title: patch.title ?? current?.title ?? "",
    name: patch.name ?? current?.name,
    kind: patch.kind ?? current?.kind ?? "other",
    rawKind: patch.rawKind ?? current?.rawKind,
    status: mergeStatus(current?.status, patch, announced),
    rawStatus: patch.rawStatus ?? current?.rawStatus,
    content: patch.content ?? current?.content ?? [],
    locations: patch.locations ?? current?.locations ?? [],
    rawInput: patch.rawInput ?? current?.rawInput,
    rawOutput: patch.rawOutput ?? current?.rawOutput,
    meta: patch.meta ?? current?.meta,
  };
}

function mergeStatus(
  current: LocalToolCallStatus | undefined,
  patch: ToolCallPatch,
  announced: boolean,
): LocalToolCallStatus {
  // Not a v1 word, but v2 agents have it and it can mean only one thing.
  if (patch.rawStatus === "cancelled") return "cancelled";
  const next = patch.status;
  if (next === undefined) return current ?? "pending";
  if (current === "cancelled" && !announced && !isFinished(next)) return current;
  return next;
}

/** True when no more work is expected on a call of this status. */
export function isFinished(status: LocalToolCallStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/**
 * Marks every unfinished call as cancelled, in place, and returns those it changed. For the moment a
 * client cancels a turn: the agent need not report on each call any more.
 */
export function cancelUnfinished(calls: Map<string, ToolCallState>): readonly ToolCallState[] {
  const changed: ToolCallState[] = [];
  for (const call of calls.values()) {
    if (!isFinished(call.status)) changed.push({ ...call, status: "cancelled" });
  }
  for (const call of changed) calls.set(call.toolCallId, call);
  return changed;
}
