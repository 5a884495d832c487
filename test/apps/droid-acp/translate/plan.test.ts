import { describe, expect, it } from "vitest";
import { specPlanUpdates, toPlan } from "../../../../src/apps/droid-acp/translate/plan.ts";

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

describe("the plan of spec mode", () => {
  it("is a Markdown plan that the next one replaces", () => {
    const plan = { type: "markdown", planId: "spec", content: "# P" };
    expect(specPlanUpdates({ title: "T", plan: "# P" })).toEqual([
      { sessionUpdate: "plan_update", plan },
    ]);
  });

  it.each([{}, { plan: "" }, { plan: " \n" }, { plan: null }, { plan: 1 }])(
    "is absent from the input %j",
    (input) => expect(specPlanUpdates(input)).toEqual([]),
  );
});
