import { expect, it } from "vitest";
import { PlanProgress } from "../../../src/cli/render/text/plan.ts";

const plan = (...statuses: ("pending" | "in_progress" | "completed")[]) =>
  statuses.map((status, index) => ({
    content: `step ${index + 1}`,
    priority: "medium" as const,
    status,
  }));

it("tells a plan whole once, then only how far it has got", () => {
  const story = new PlanProgress();
  expect(story.take(plan("in_progress", "pending"))).toEqual([
    "0/2 done",
    "  → step 1",
    "  · step 2",
  ]);
  expect(story.take(plan("completed", "in_progress"))).toEqual(["1/2 done → step 2"]);
  expect(story.take(plan("completed", "completed"))).toEqual(["2/2 done"]);
});

it("tells nothing where nothing changed, and a changed plan whole again", () => {
  const story = new PlanProgress();
  story.take(plan("pending"));
  expect(story.take(plan("pending"))).toEqual([]);
  expect(story.take([])).toEqual([]);
  expect(story.take(plan("completed", "pending"))).toEqual([
    "1/2 done",
    "  ✓ step 1",
    "  · step 2",
  ]);
});
