import {
  type AcceptedResult,
  type Baseline,
  type BaselineEntry,
  compareWithBaseline,
} from "./baseline.ts";
import type { CheckReport, CheckResult } from "./result.ts";
import { type FailLevel, isJudged, isViolation } from "./violation.ts";

/** How a run ended. Only the command line turns it into an exit code. */
export type RunOutcome =
  | "passed"
  | "failed"
  | "run limit"
  | "authentication"
  | "cannot start"
  | "fault";

/** A report, seen with a level and a baseline. */
export interface RunVerdict {
  readonly outcome: RunOutcome;
  /** The level that was applied. */
  readonly level: FailLevel;
  /** The baseline that was applied, if there was one. */
  readonly baseline: Baseline | undefined;
  /** The violations that make the run fail, in the order of the report. */
  readonly failures: readonly CheckResult[];
  /** The violations below the level, which are only shown. */
  readonly warnings: readonly CheckResult[];
  /** The violations that the baseline accepts, with their entries. */
  readonly accepted: readonly AcceptedResult[];
  /** The entries of the baseline whose requirement passes now. They make the run fail. */
  readonly stale: readonly BaselineEntry[];
  /** The entries that this run did not judge: the requirement was skipped or untested. */
  readonly kept: readonly BaselineEntry[];
  /** The requirements that the checker itself failed to judge. */
  readonly faults: readonly CheckResult[];
}

/** Judges a report. Pure. */
export function judge(
  report: CheckReport,
  level: FailLevel = "must",
  baseline?: Baseline,
): RunVerdict {
  const { accepted, stale, kept } = compareWithBaseline(report.results, baseline);
  const isAccepted = new Set(accepted.map(({ result }) => result));
  const open = report.results.filter((result) => isViolation(result) && !isAccepted.has(result));
  const failures = open.filter((result) => isJudged(result.level, level));
  const warnings = open.filter((result) => !isJudged(result.level, level));
  const faults = report.results.filter(({ status }) => status === "fault");
  return {
    outcome: outcomeOf(report, failures.length + stale.length > 0, faults.length > 0),
    level,
    baseline,
    failures,
    warnings,
    accepted,
    stale,
    kept,
    faults,
  };
}

/** A run that did not see everything is not a verdict about the subject, so those outcomes come first. */
function outcomeOf({ summary }: CheckReport, hasFailed: boolean, hasFault: boolean): RunOutcome {
  if (summary.ended !== undefined) return summary.ended;
  if (hasFault) return "fault";
  return hasFailed ? "failed" : "passed";
}
