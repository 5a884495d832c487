import { describe, expect, it } from "vitest";
import { readPlan } from "../../../src/droid/protocol/plan.ts";

describe("a plan", () => {
  it.each<[string, unknown, [string, string][]]>([
    [
      "numbered lines",
      "1. [completed] first\n2. [in_progress] second\n\n3. [pending] third",
      [
        ["first", "completed"],
        ["second", "in_progress"],
        ["third", "pending"],
      ],
    ],
    [
      "a check list",
      "- [x] done\n* [ ] open\nno mark",
      [
        ["done", "completed"],
        ["open", "pending"],
        ["no mark", "pending"],
      ],
    ],
    [
      "a list of objects",
      [{ content: "first", status: "completed", priority: "high" }, { text: "second" }, "noise"],
      [
        ["first", "completed"],
        ["second", "pending"],
      ],
    ],
  ])("is read from %s", (_name, todos, entries) => {
    expect(readPlan({ todos })?.map(({ text, status }) => [text, status])).toEqual(entries);
  });
  it("is undefined before the model has written it", () => {
    expect(readPlan({})).toBeUndefined();
  });
});
