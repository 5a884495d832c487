import { expect, it } from "vitest";
import { timeAgo, usageLine } from "../../../../../src/apps/cli/render/text/phrases.ts";

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

it.each([
  [900, undefined, "0.9 s"],
  [65_400, undefined, "1 min 5 s"],
  [119_700, undefined, "2 min 0 s"],
  [1000, { tokens: { total: 1_234_567 } }, "1.0 s, 1,234,567 tokens"],
  [1000, { tokens: { total: 30, input: 10, output: 20 } }, "1.0 s, 30 tokens (10 in, 20 out)"],
  [1000, { used: 500, size: 0 }, "1.0 s, context 500"],
  [1000, { used: 500, size: 1000 }, "1.0 s, context 500 of 1,000 (50 %)"],
  [1000, { cost: { amount: 1.5, currency: "EUR" } }, "1.0 s, 1.50 EUR"],
  [1000, { cost: { amount: 0.001234, currency: "USD" } }, "1.0 s, 0.0012 USD"],
  [1000, { cost: { amount: 0, currency: "U\u001b[2JSD" } }, "1.0 s, 0.00 U␛[2JSD"],
])("a turn of %i ms with %j closes with %s", (durationMs, usage, line) => {
  expect(usageLine({ durationMs, usage })).toBe(line);
});
