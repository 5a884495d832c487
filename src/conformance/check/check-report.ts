import {
  type CheckedSide,
  type Level,
  REQUIREMENT_SET,
  SCHEMA_DIGESTS,
  SCHEMA_VERSION,
} from "../index.ts";

/**
 * The outcome of one requirement. `untested`: there was nothing to judge. `skipped`: it does not
 * apply or was left out. `unstable`: repetitions differ. `fault`: the checker itself failed.
 */
export const CHECK_STATUSES = [
  "passed",
  "failed",
  "untested",
  "skipped",
  "unstable",
  "fault",
] as const;
type CheckStatus = (typeof CHECK_STATUSES)[number];

export interface EvidenceFrame {
  /** Its position on its connection, from 1. */
  readonly n: number;
  /** `out`: the checker wrote it. `in`: the subject wrote it. */
  readonly direction: "in" | "out";
  /** The line, cut and redacted. */
  readonly line: string;
}

export interface CheckResult {
  readonly id: string;
  readonly level: Level;
  readonly status: CheckStatus;
  readonly area: string;
  readonly title: string;
  readonly source: string;
  /** The behavior that the requirement asks for; "" unless it was judged. */
  readonly expected: string;
  /** The behavior that was seen; "" unless it was judged. */
  readonly actual: string;
  /** The basis of the verdict: counts, moments, effects. */
  readonly evidence: string;
  /** Why it was skipped or is untested, or what failed in the checker. */
  readonly reason?: string | undefined;
  /** The frames that decided. */
  readonly frames: readonly EvidenceFrame[];
  /** How long its case took; 0 for passive requirements. */
  readonly ms: number;
}

export interface CheckSubject {
  readonly side: CheckedSide;
  /** The name that the subject states, or else the name it was given. */
  readonly name: string;
  readonly version: string | undefined;
  /** The command line, or the address. */
  readonly command: string;
  readonly protocol: 1 | 2;
  /** As the subject stated them. */
  readonly capabilities: unknown;
}

/** How many requirements have each status; `byLevel` has the same counts for each level. */
export interface CheckSummary extends Readonly<Record<CheckStatus, number>> {
  readonly byLevel: Readonly<Record<Level, Readonly<Record<CheckStatus, number>>>>;
  readonly ms: number;
  /** Set if the run ended early. */
  readonly ended?: "run limit" | "authentication" | "cannot start" | undefined;
  /** Why it ended early, in one sentence. */
  readonly problem?: string | undefined;
}

export interface CheckReport {
  readonly v: 1;
  readonly subject: CheckSubject;
  /** The schema that frames were validated against. */
  readonly schema: { readonly version: string; readonly commit: string };
  /** The name of the frozen set of requirements. */
  readonly set: string;
  readonly summary: CheckSummary;
  /** The command line that repeats one case alone, with `@ID@` in place of its id. */
  readonly repeat?: string | undefined;
  /** Every requirement of the subject's side and version, in the order of the registry. */
  readonly results: readonly CheckResult[];
}

/** Counts the results of a run that took `ms` milliseconds. Pure. */
export function reportSummary(
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

/** The report of a run that this version of the checker made. */
export function reportOf(
  subject: CheckSubject,
  summary: CheckSummary,
  results: readonly CheckResult[],
): CheckReport {
  const schema = { version: SCHEMA_VERSION, commit: SCHEMA_DIGESTS[subject.protocol] };
  return { v: 1, subject, schema, set: REQUIREMENT_SET, summary, results };
}

/** The lowest severity that fails a run. */
export type FailLevel = "must" | "should" | "warn";

export const FAIL_LEVELS: readonly FailLevel[] = ["must", "should", "warn"];

/** INFO is recorded and never makes a run fail. */
const RANKS: Readonly<Record<Level, number>> = { MUST: 3, SHOULD: 2, WARN: 1, INFO: 0 };
const LEAST: Readonly<Record<FailLevel, number>> = { must: 3, should: 2, warn: 1 };

export function isViolation({ status }: Pick<CheckResult, "status">): boolean {
  return status === "failed" || status === "unstable";
}

/** Whether violations of this level make a run fail. */
export function reachesFailLevel(level: Level, least: FailLevel): boolean {
  return RANKS[level] >= LEAST[least];
}

/** Frames are evidence, not an archive: long lines are cut, and only the first ones are kept. */
const MAX_LINE_CHARS = 2000;

const MAX_FRAMES = 6;

/** Frames as they go into a report. */
export function reportedFrames(frames: readonly EvidenceFrame[]): readonly EvidenceFrame[] {
  return frames.slice(0, MAX_FRAMES).map(({ n, direction, line }) => ({
    n,
    direction,
    line: line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS)}…` : line,
  }));
}
