import type { Level } from "../index.ts";
import type { CheckResult, CheckStatus, CheckSummary } from "./result.ts";

/** Counts the results of a run that took `ms` milliseconds. Pure. */
export function summaryOf(
  results: readonly CheckResult[],
  ms: number,
  ended?: CheckSummary["ended"],
): CheckSummary {
  const counted = (level: Level): Record<CheckStatus, number> =>
    countsOf(results.filter((result) => result.level === level));
  return {
    ...countsOf(results),
    byLevel: {
      MUST: counted("MUST"),
      SHOULD: counted("SHOULD"),
      WARN: counted("WARN"),
      INFO: counted("INFO"),
    },
    ms,
    ...(ended === undefined ? {} : { ended }),
  };
}

function countsOf(results: readonly CheckResult[]): Record<CheckStatus, number> {
  const counts = { passed: 0, failed: 0, untested: 0, skipped: 0, unstable: 0, fault: 0 };
  for (const { status } of results) counts[status]++;
  return counts;
}
