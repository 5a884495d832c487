import { describe, expect, it } from "vitest";
import { toPlan } from "../../../src/adapter/translate/plan.ts";

describe("a plan entry", () => {
  it.each([
    ["in_progress", undefined, "in_progress", "medium"],
    ["Done", "high", "completed", "high"],
    ["whatever", "odd", "pending", "medium"],
  ])(
    "with status %s and priority %s becomes %s and %s",
    (status, priority, toStatus, toPriority) => {
      expect(toPlan([{ text: "t", status, priority }])).toEqual([
        { content: "t", status: toStatus, priority: toPriority },
      ]);
    },
  );
});
