import { expect, it } from "vitest";
import { DEFAULT_LIMITS, toBufferLimits } from "../../src/client/config.ts";
import { toTimeouts, DEFAULT_TIMEOUTS } from "../../src/client/connection/timeouts.ts";

it.each([
  [undefined, DEFAULT_LIMITS],
  [{}, DEFAULT_LIMITS],
  [{ updates: undefined, bytes: undefined }, DEFAULT_LIMITS],
  [7, { ...DEFAULT_LIMITS, updates: 7 }],
  [
    { updates: undefined, bytes: 7 },
    { ...DEFAULT_LIMITS, bytes: 7 },
  ],
])("maxBuffered %j keeps the default of a limit that is not given", (given, expected) => {
  expect(toBufferLimits(given)).toEqual(expected);
});

it("keeps the default of a timeout that is undefined", () => {
  expect(toTimeouts({ startMs: undefined, turnMs: 5 })).toEqual({ ...DEFAULT_TIMEOUTS, turnMs: 5 });
});
