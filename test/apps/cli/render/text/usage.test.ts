import { expect, it } from "vitest";
import { usageLine } from "../../../../../src/apps/cli/render/text/facts.ts";

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
