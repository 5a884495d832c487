// `dragoman check` on agents that others wrote. A violation that is not in the baseline is new, and an
// entry of the baseline that passes is out of date; both fail the test.
import { describe, it } from "vitest";
import { judge } from "../../../../src/conformance/check/index.ts";
import { agentsToCheck, baselineOf, checkOne } from "./subjects.ts";

/** A slow agent starts about two hundred times. */
const TIMEOUT_MS = 3_600_000;

// An agent mostly waits for something, so several are checked at the same time.
describe.concurrent("dragoman check", () => {
  for (const agent of agentsToCheck) {
    const { name, version, races = [] } = agent;
    it(`${name} is as its baseline says`, { timeout: TIMEOUT_MS }, async ({ task, expect }) => {
      const report = await checkOne(agent);
      const baseline = await baselineOf(agent);
      task.meta.agentCheck = { name, version, report, baseline };
      const { failures, stale, faults } = judge(report, "warn", baseline);
      expect(report.summary.problem).toBeUndefined();
      expect(faults).toEqual([]);
      expect(failures).toEqual([]);
      expect(stale.map(({ id }) => id).filter((id) => !races.includes(id))).toEqual([]);
    });
  }
});
