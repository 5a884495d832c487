import type { Level } from "../index.ts";
import type { CheckResult } from "./result.ts";

/** The least level of a violation that makes a run fail. */
export type FailLevel = "must" | "should" | "warn";

export const FAIL_LEVELS: readonly FailLevel[] = ["must", "should", "warn"];

/** INFO is recorded and never makes a run fail. */
const RANKS: Readonly<Record<Level, number>> = { MUST: 3, SHOULD: 2, WARN: 1, INFO: 0 };
const LEAST: Readonly<Record<FailLevel, number>> = { must: 3, should: 2, warn: 1 };

/** Whether a result is a violation, at any level. */
export function isViolation({ status }: Pick<CheckResult, "status">): boolean {
  return status === "failed" || status === "unstable";
}

/** Whether violations of this level make a run fail. */
export function isJudged(level: Level, least: FailLevel): boolean {
  return RANKS[level] >= LEAST[least];
}
