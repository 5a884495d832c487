import type { Level } from "../conformance/index.ts";
import { compareWithBaseline, type Baseline, type BaselineEntry } from "./baseline.ts";
import type { CheckReport, CheckResult } from "./result.ts";

/** The least level of a violation that makes a run fail. */
export type FailLevel = "must" | "should" | "warn";

export const FAIL_LEVELS: readonly FailLevel[] = ["must", "should", "warn"];

/** INFO is recorded and never makes a run fail. */
const RANKS: Readonly<Record<Level, number>> = { MUST: 3, SHOULD: 2, WARN: 1, INFO: 0 };
const LEAST: Readonly<Record<FailLevel, number>> = { must: 3, should: 2, warn: 1 };

/** How a run ended. Only the command line turns it into an exit code. */
export type RunOutcome =
  | "passed"
  | "failed"
  | "run limit"
  | "authentication"
  | "cannot start"
  | "fault";

/** A report, seen with a level and a baseline. */
export interface Verdict {
  readonly outcome: RunOutcome;
  /** The level that was applied. */
  readonly level: FailLevel;
  /** The violations that make the run fail, in the order of the report. */
  readonly failures: readonly CheckResult[];
  /** The violations below the level, which are only shown. */
  readonly warnings: readonly CheckResult[];
  /** The violations that the baseline accepts, with their entries. */
  readonly accepted: readonly AcceptedResult[];
  /** The entries of the baseline whose requirement passes now. They make the run fail. */
  readonly stale: readonly BaselineEntry[];
  /** The entries that this run says nothing about: the requirement was skipped or untested. */
  readonly kept: readonly BaselineEntry[];
  /** The requirements that the checker itself failed to judge. */
  readonly faults: readonly CheckResult[];
}

/** A violation that the baseline accepts. */
export interface AcceptedResult {
  readonly result: CheckResult;
  readonly entry: BaselineEntry;
}

/** Whether a result is a violation, whatever its level. */
export function isViolation({ status }: Pick<CheckResult, "status">): boolean {
  return status === "failed" || status === "unstable";
}

/** Whether a level is judged when this is the least one that counts. */
export function counts(level: Level, least: FailLevel): boolean {
  return RANKS[level] >= LEAST[least];
}

/** Judges a report. Pure. */
export function judge(
  report: CheckReport,
  level: FailLevel = "must",
  baseline?: Baseline | undefined,
): Verdict {
  const { accepted, stale, kept } = compareWithBaseline(report.results, baseline);
  const isAccepted = new Set(accepted.map(({ result }) => result));
  const open = report.results.filter((result) => isViolation(result) && !isAccepted.has(result));
  const failures = open.filter((result) => counts(result.level, level));
  const warnings = open.filter((result) => !counts(result.level, level));
  const faults = report.results.filter(({ status }) => status === "fault");
  return {
    outcome: outcomeOf(report, failures.length + stale.length > 0, faults.length > 0),
    level,
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
