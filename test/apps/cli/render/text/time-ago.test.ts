import { expect, it } from "vitest";
import { timeAgo } from "../../../../../src/apps/cli/render/text/facts.ts";

const MIN = 60_000;
const HOUR = 60 * MIN;
const DAY = 24 * HOUR;

it.each([
  [-5 * MIN, "just now"],
  [0, "just now"],
  [59_999, "just now"],
  [MIN, "1 min ago"],
  [59 * MIN, "59 min ago"],
  [2 * HOUR + 40 * MIN, "2 h ago"],
  [DAY, "1 d ago"],
  [13 * DAY, "13 d ago"],
  [14 * DAY, "2 wk ago"],
  [61 * DAY, "2 mo ago"],
  [729 * DAY, "24 mo ago"],
  [800 * DAY, "2 y ago"],
])("a time %d ms before now is shown as %s", (age, text) => {
  expect(timeAgo(1e13 - age, 1e13)).toBe(text);
});
