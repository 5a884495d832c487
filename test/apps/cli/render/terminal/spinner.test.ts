import { describe, expect, it } from "vitest";
import { spinnerRow } from "../../../../../src/apps/cli/render/terminal/bottom.ts";

describe("the spinner", () => {
  it.each([
    ["no time within the first second", "thinking", 999, 80, "⠋ thinking"],
    ["the seconds", "thinking", 12_700, 80, "⠋ thinking (12 s)"],
    ["the minutes", "thinking", 125_000, 80, "⠋ thinking (2 min 5 s)"],
    ["the time even if the label is cut", "a long label", 12_000, 17, "⠋ a lon… (12 s)"],
  ])("shows %s", (_what, label, elapsedMs, columns, row) => {
    expect(spinnerRow(label, { frame: 0, elapsedMs, columns })).toBe(row);
  });
});
