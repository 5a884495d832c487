import { SPEC_PLAN_ID } from "./tool-results.ts";
import {
  isPlanPriority,
  isPlanStatus,
  type PlanEntry,
  type UnstableSessionUpdate,
} from "../../../protocol/acp/index.ts";
import type { JsonObject } from "../../../base/index.ts";
import { visibleField } from "./tool-input.ts";
import type { DroidPlanEntry as DroidEntry } from "../../../droid/index.ts";

/** The plan that the model presents in spec mode. Empty if the input has none. */
export function specPlanUpdates(input: JsonObject): readonly UnstableSessionUpdate[] {
  const content = visibleField(input, "plan");
  if (content === undefined) return [];
  const plan = { type: "markdown", planId: SPEC_PLAN_ID, content } as const;
  return [{ sessionUpdate: "plan_update", plan }];
}

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
