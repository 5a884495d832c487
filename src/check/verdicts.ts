import type { Level } from "../conformance/index.ts";
import type { EvidenceFrame } from "./result.ts";

/** A frame as cases and judges have it. */
export interface VerdictFrame {
  readonly n: number;
  readonly direction: "in" | "out";
  readonly line: string;
}

/** A verdict about one requirement, before it is put into a report. */
export interface CaseVerdict {
  readonly status: "passed" | "failed" | "untested" | "skipped" | "fault";
  readonly expected: string;
  readonly actual: string;
  readonly evidence: string;
  readonly reason: string | undefined;
  readonly frames: readonly EvidenceFrame[];
  /** The level of the part that is broken, if it is lower than that of the requirement. */
  readonly level?: Level | undefined;
}

/** A violation, in words: both complete the sentence of the requirement. */
export interface Violated {
  readonly expected: string;
  readonly actual: string;
  readonly frames?: readonly VerdictFrame[] | undefined;
  /** More about it, such as the subject's stderr. */
  readonly evidence?: string | undefined;
  /** The level of the broken part. Default: that of the requirement. */
  readonly level?: Level | undefined;
}

/** Frames are evidence, not an archive: long lines are cut, and only the first ones are kept. */
const MAX_LINE_CHARS = 2000;
const MAX_FRAMES = 6;

/** Which verdict stays if a case gives several about one requirement. */
const PRECEDENCE = ["untested", "skipped", "passed", "failed", "fault"] as const;

/**
 * The verdicts of one run of one case. The first violation of a requirement is the one that stays, unless
 * it is about a part with a lower level.
 */
export class VerdictBook {
  readonly #verdicts = new Map<string, CaseVerdict>();
  readonly #notes = new Map<string, string[]>();
  #isClosed = false;

  get(id: string): CaseVerdict | undefined {
    const verdict = this.#verdicts.get(id);
    if (!verdict || verdict.status !== "passed") return verdict;
    return { ...verdict, evidence: this.#notes.get(id)?.join("; ") ?? verdict.evidence };
  }

  /** The subject keeps the rule. `evidence` says what was seen. */
  pass(id: string, evidence: string, frames: readonly VerdictFrame[] = []): void {
    if (this.#isClosed) return;
    const notes = this.#notes.get(id) ?? [];
    if (!notes.includes(evidence)) notes.push(evidence);
    this.#notes.set(id, notes);
    this.#put(id, { ...EMPTY, status: "passed", evidence, frames: evidenceOf(frames) });
  }

  /** The subject breaks the rule. */
  fail(id: string, { expected, actual, frames = [], evidence = "", level }: Violated): void {
    const words = { expected, actual, evidence, frames: evidenceOf(frames) };
    this.#put(id, { ...EMPTY, status: "failed", ...words, level });
  }

  /** Passes with `evidence` or fails, by a condition. */
  judge(id: string, isKept: boolean, evidence: string, violated: Violated): void {
    if (isKept) this.pass(id, evidence, violated.frames);
    else this.fail(id, violated);
  }

  /** There was nothing to judge. */
  untested(id: string, reason: string): void {
    this.#put(id, { ...EMPTY, status: "untested", reason });
  }

  /** The requirement does not apply, or was left out. */
  skip(id: string, reason: string): void {
    this.#put(id, { ...EMPTY, status: "skipped", reason });
  }

  /** The checker itself failed. */
  fault(id: string, reason: string): void {
    this.#put(id, { ...EMPTY, status: "fault", reason });
  }

  /**
   * Ignores later passes and violations: a case that did not end in time, or with the run, would take the
   * end of the subject, which the checker ended, for a violation.
   */
  close(): void {
    this.#isClosed = true;
  }

  #put(id: string, verdict: CaseVerdict): void {
    if (this.#isClosed && (verdict.status === "passed" || verdict.status === "failed")) return;
    const known = this.#verdicts.get(id);
    const isWorse = known?.level !== undefined && verdict.level === undefined;
    if (known && rank(known) >= rank(verdict) && !(isWorse && verdict.status === "failed")) return;
    this.#verdicts.set(id, verdict);
  }
}

const EMPTY = { expected: "", actual: "", evidence: "", reason: undefined, frames: [] };

function rank({ status }: CaseVerdict): number {
  return PRECEDENCE.indexOf(status);
}

/** Frames as they go into a report. */
export function evidenceOf(frames: readonly VerdictFrame[]): readonly EvidenceFrame[] {
  return frames.slice(0, MAX_FRAMES).map(({ n, direction, line }) => ({
    n,
    direction,
    line: line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS)}…` : line,
  }));
}
