import type { PermissionOptionKind, ToolCallStatus, ToolKind } from "./types.ts";

/**
 * The closed word lists of ACP v1. Newer peers and extensions may send other words. Readers keep an
 * unknown word as received and use these guards to detect it.
 */

/** The reasons for the end of a turn. */
export const STOP_REASONS = [
  "end_turn",
  "max_tokens",
  "max_turn_requests",
  "refusal",
  "cancelled",
] as const;
/** Why a turn ended, in the words of ACP v1. */
export type StopReason = (typeof STOP_REASONS)[number];

/** The kinds of tools. */
export const TOOL_KINDS = [
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other",
] as const satisfies readonly ToolKind[];

/** The statuses of a tool call. */
export const TOOL_CALL_STATUSES = [
  "pending",
  "in_progress",
  "completed",
  "failed",
] as const satisfies readonly ToolCallStatus[];

/** The kinds of options in a permission request. */
export const PERMISSION_OPTION_KINDS = [
  "allow_once",
  "allow_always",
  "reject_once",
  "reject_always",
] as const satisfies readonly PermissionOptionKind[];

/** The priorities of an entry of a plan, highest first. */
export const PLAN_PRIORITIES = ["high", "medium", "low"] as const;
/** How important an entry of a plan is. */
export type PlanPriority = (typeof PLAN_PRIORITIES)[number];

/** The statuses of an entry of a plan. */
export const PLAN_STATUSES = ["pending", "in_progress", "completed"] as const;
/** How far the work on an entry of a plan is. */
export type PlanStatus = (typeof PLAN_STATUSES)[number];

/** Builds a guard for one word list. A `Set` does not match inherited names such as "constructor". */
/* @__NO_SIDE_EFFECTS__ */
export function oneOf<T extends string>(words: readonly T[]): (value: unknown) => value is T {
  const known = new Set<unknown>(words);
  return (value): value is T => known.has(value);
}

export const isStopReason = oneOf(STOP_REASONS);
export const isToolKind = oneOf(TOOL_KINDS);
export const isToolCallStatus = oneOf(TOOL_CALL_STATUSES);
export const isPermissionOptionKind = oneOf(PERMISSION_OPTION_KINDS);
export const isPlanPriority = oneOf(PLAN_PRIORITIES);
export const isPlanStatus = oneOf(PLAN_STATUSES);

/** The effect of a tool on the user's machine, as far as permission policies and flags distinguish it. */
export type PermissionClass = "read" | "write" | "execute" | "other";

/**
 * The permission class of each tool kind. `fetch` is not `read`, because a URL can leak data.
 * `switch_mode` is not `read`, because a mode may lift the agent's own restrictions.
 */
export const PERMISSION_CLASSES: Readonly<Record<ToolKind, PermissionClass>> = {
  read: "read",
  search: "read",
  think: "read",
  edit: "write",
  delete: "write",
  move: "write",
  execute: "execute",
  fetch: "other",
  switch_mode: "other",
  other: "other",
};
