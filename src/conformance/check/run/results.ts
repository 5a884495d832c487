import type { Requirement } from "../../index.ts";
import type { CheckResult } from "../result.ts";
import type { CaseVerdict } from "../verdicts.ts";
import type { PassiveTotals } from "./passive.ts";

type Partial = Pick<CheckResult, "status" | "actual" | "evidence" | "reason" | "frames" | "ms"> & {
  readonly level?: CheckResult["level"] | undefined;
};

const NOTHING: Partial = {
  status: "untested",
  actual: "",
  evidence: "",
  reason: undefined,
  frames: [],
  ms: 0,
};

/** A result of a requirement. INFO is recorded, never judged, so it cannot fail. */
function resultOf(requirement: Requirement, part: Partial): CheckResult {
  const { id, level, area, title, source } = requirement;
  const isViolation = part.status === "failed" || part.status === "unstable";
  const own: Partial =
    level === "INFO" && isViolation ? { ...part, status: "passed", evidence: part.actual } : part;
  const expected = isViolation ? title : "";
  return { id, area, title, source, ...own, expected, level: own.level ?? level };
}

/** The reason of requirements that were not chosen. */
export const LEFT_OUT = "left out by --only or --skip";

/** A requirement that was not judged, with the reason. */
export function unjudged(
  requirement: Requirement,
  status: "skipped" | "untested",
  reason: string,
): CheckResult {
  return resultOf(requirement, { ...NOTHING, status, reason });
}

/** The result of an active requirement, from the first run of its case and its repetition. */
export function activeResult(
  requirement: Requirement,
  first: CaseVerdict | undefined,
  repeated: CaseVerdict | undefined,
  ms: number,
): CheckResult {
  if (!first) return unjudged(requirement, "untested", "the case saw nothing to judge");
  if (first.status !== "failed" || !repeated) return resultOf(requirement, { ...first, ms });
  if (repeated.status === "failed") return resultOf(requirement, { ...repeated, ms });
  return resultOf(requirement, {
    ...first,
    status: "unstable",
    reason: `failed at first; repeated in a fresh process: ${repeated.status}${repeated.reason === undefined ? "" : ` (${repeated.reason})`}`,
    ms,
  });
}

/** The result of a passive requirement, from all connections of the run. */
export function passiveResult(requirement: Requirement, totals: PassiveTotals): CheckResult {
  const { id } = requirement;
  const count = totals.judged(id);
  const found = totals.violation(id);
  if (!found) {
    return count === 0
      ? unjudged(requirement, "untested", "no frame to judge")
      : resultOf(requirement, { ...NOTHING, status: "passed", evidence: `judged ${count} times` });
  }
  const { actual, level, lines: frames } = found.violation;
  return resultOf(requirement, {
    ...NOTHING,
    status: found.isConfirmed ? "failed" : "unstable",
    reason: found.isConfirmed ? undefined : "not seen again when the case was repeated",
    actual,
    frames,
    level,
  });
}
