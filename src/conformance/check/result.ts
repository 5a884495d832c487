import type { CheckedSide, Level } from "../index.ts";

/**
 * The outcome of one requirement. `untested`: there was nothing to judge. `skipped`: it does not
 * apply or was left out. `unstable`: repetitions differ. `fault`: the checker itself failed.
 */
export type CheckStatus = "passed" | "failed" | "untested" | "skipped" | "unstable" | "fault";

/** A line of a connection, as evidence. */
export interface EvidenceFrame {
  /** Its position on its connection, from 1. */
  readonly n: number;
  /** `out`: the checker wrote it. `in`: the subject wrote it. */
  readonly direction: "in" | "out";
  /** The line, cut and redacted. */
  readonly line: string;
}

/** The outcome of one requirement, with its evidence. */
export interface CheckResult {
  readonly id: string;
  readonly level: Level;
  readonly status: CheckStatus;
  readonly area: string;
  readonly title: string;
  readonly source: string;
  /** The behaviour that the requirement asks for; "" unless it was judged. */
  readonly expected: string;
  /** The behaviour that was seen; "" unless it was judged. */
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

/** The agent or client that was checked. */
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
export interface CheckSummary {
  readonly passed: number;
  readonly failed: number;
  readonly untested: number;
  readonly skipped: number;
  readonly unstable: number;
  readonly fault: number;
  readonly byLevel: Readonly<Record<Level, Readonly<Record<CheckStatus, number>>>>;
  /** How long the run took. */
  readonly ms: number;
  /** Set if the run ended early. */
  readonly ended?: "run limit" | "authentication" | "cannot start" | undefined;
  /** Why it ended early, in one sentence. */
  readonly problem?: string | undefined;
}

/** The result of one run over one subject. */
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
