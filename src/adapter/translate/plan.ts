/** Translates Droid's to-do list to an ACP plan. Pure and total. */
import { isPlanPriority, isPlanStatus, type PlanEntry } from "../../acp/index.ts";
import type { DroidPlanEntry as DroidEntry } from "../../droid/index.ts";

/** Entries from Droid may spell a status differently, and most have no priority. */
export function toPlan(entries: readonly DroidEntry[]): PlanEntry[] {
  return entries.map(({ text, status, priority }) => ({
    content: text,
    status: isPlanStatus(status) ? status : (STATUSES[status.toLowerCase()] ?? "pending"),
    priority: isPlanPriority(priority) ? priority : "medium",
  }));
}

const STATUSES: Readonly<Record<string, PlanEntry["status"]>> = {
  "in progress": "in_progress",
  in_progress: "in_progress",
  doing: "in_progress",
  done: "completed",
  completed: "completed",
  complete: "completed",
  cancelled: "completed",
};
