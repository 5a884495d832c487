import { isObject, isPlanEntry } from "./guards.ts";
import type { PlanEntry } from "../types.ts";
import { isPlanPriority, isPlanStatus } from "../vocabulary.ts";

/*
 * Readers for fields that several updates and results have. They never throw.
 */

/** The value if it is a string or null, which clears a field; else undefined, which keeps it. */
export function stringOrNull(value: unknown): string | null | undefined {
  return typeof value === "string" || value === null ? value : undefined;
}

/** Keeps the valid items: the array itself if all are valid, else a copy; undefined for a non-array. */
export function onlyValid<T>(
  value: unknown,
  valid: (item: unknown) => item is T,
): readonly T[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.every(valid) ? value : value.filter(valid);
}

/** Reads the entries of a plan. An unknown priority reads as `medium`, an unknown status as `pending`. */
export function planEntries(items: readonly unknown[]): readonly PlanEntry[] {
  if (items.every(isPlanEntry)) return items;
  const entries: PlanEntry[] = [];
  for (const item of items) {
    if (!isObject(item)) continue;
    const { content, priority, status } = item;
    if (typeof content !== "string") continue;
    entries.push({
      content,
      priority: isPlanPriority(priority) ? priority : "medium",
      status: isPlanStatus(status) ? status : "pending",
    });
  }
  return entries;
}

/** Whether the capabilities of a tool call, terminal or subagent allow the client to cancel it. */
export function canCancel(capabilities: unknown): boolean {
  return isObject(capabilities) && isObject(capabilities["cancel"]);
}
