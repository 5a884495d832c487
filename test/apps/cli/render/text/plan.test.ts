import { describe, expect, it } from "vitest";
import { PlanProgress } from "../../../../../src/apps/cli/render/text/progress.ts";

const plan = (...statuses: ("pending" | "in_progress" | "completed")[]) =>
  statuses.map((status, index) => ({
    content: `step ${index + 1}`,
    priority: "medium" as const,
    status,
  }));

describe("a plan", () => {
  it("is printed in full once, then only its progress", () => {
    const progress = new PlanProgress();
    expect(progress.take(plan("in_progress", "pending"))).toEqual([
      "0/2 done",
      "  → step 1",
      "  · step 2",
    ]);
    expect(progress.take(plan("completed", "in_progress"))).toEqual(["1/2 done → step 2"]);
    expect(progress.take(plan("completed", "completed"))).toEqual(["2/2 done"]);
  });

  it("is not printed again without a change, and in full if its steps change", () => {
    const progress = new PlanProgress();
    progress.take(plan("pending"));
    expect(progress.take(plan("pending"))).toEqual([]);
    expect(progress.take([])).toEqual([]);
    expect(progress.take(plan("completed", "pending"))).toEqual([
      "1/2 done",
      "  ✓ step 1",
      "  · step 2",
    ]);
  });
});
