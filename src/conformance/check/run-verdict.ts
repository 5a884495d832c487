import { type Baseline, type BaselineComparison, compareWithBaseline } from "./baseline.ts";
import {
  type CheckReport,
  type CheckResult,
  type FailLevel,
  reachesFailLevel,
} from "./check-report.ts";

/** How a run ended. Only the command line turns it into an exit code. */
export type RunOutcome =
  | "passed"
  | "failed"
  | "fault"
  | NonNullable<CheckReport["summary"]["ended"]>;

/** A report, seen with a level and a baseline. */
export interface RunVerdict extends BaselineComparison {
  readonly outcome: RunOutcome;
  readonly level: FailLevel;
  readonly baseline: Baseline | undefined;
  /** The violations that make the run fail, in the order of the report. */
  readonly failures: readonly CheckResult[];
  /** The violations below the level, which are only shown. */
  readonly warnings: readonly CheckResult[];
  /** The requirements that the checker itself failed to judge. */
  readonly faults: readonly CheckResult[];
}

/**
 * How a result is shown. `failure` and `stale` make the run fail; `warning` is a violation below the
 * level, and `accepted` one that the baseline lists.
 */
export type ResultVerdict =
  | "passed"
  | "failure"
  | "warning"
  | "accepted"
  | "stale"
  | "skipped"
  | "untested"
  | "fault";

/** How each result is shown, with a level and a baseline. */
export function resultVerdict({
  level,
  baseline,
}: Pick<RunVerdict, "level" | "baseline">): (result: CheckResult) => ResultVerdict {
  const listed = new Set(baseline?.entries.map(({ id }) => id));
  return ({ id, level: own, status }) => {
    switch (status) {
      case "failed":
      case "unstable":
        if (listed.has(id)) return "accepted";
        return reachesFailLevel(own, level) ? "failure" : "warning";
      case "passed":
        return listed.has(id) ? "stale" : "passed";
      case "untested":
      case "skipped":
      case "fault":
        return status;
    }
  };
}

export function judge(
  report: CheckReport,
  level: FailLevel = "must",
  baseline?: Baseline,
): RunVerdict {
  const shown = resultVerdict({ level, baseline });
  const all = (kind: ResultVerdict): readonly CheckResult[] =>
    report.results.filter((result) => shown(result) === kind);
  const compared = compareWithBaseline(report.results, baseline);
  const [failures, faults] = [all("failure"), all("fault")];
  const hasFailed = failures.length + compared.stale.length > 0;
  const outcome = outcomeOf(report, hasFailed, faults.length > 0);
  return { ...compared, outcome, level, baseline, failures, warnings: all("warning"), faults };
}

/** A run that did not see everything is not a verdict about the subject, so those outcomes come first. */
function outcomeOf({ summary }: CheckReport, hasFailed: boolean, hasFault: boolean): RunOutcome {
  if (summary.ended !== undefined) return summary.ended;
  if (hasFault) return "fault";
  return hasFailed ? "failed" : "passed";
}
