import { expect, it } from "vitest";
import { Pace } from "../../../../src/conformance/check/harness/pace.ts";

/** The limits for an agent that starts within a tenth of a second. */
function quickPace(hasModel: boolean): Pace {
  const pace = new Pace({ hasModel });
  pace.measured(100);
  return pace;
}

it("gives turns with the scripted model a limit that follows the speed of the agent", () => {
  expect(quickPace(true).turnMs).toBe(4000);
});

it("gives turns without the scripted model more time, because they may do real work", () => {
  expect(quickPace(false).turnMs).toBe(20_000);
});
