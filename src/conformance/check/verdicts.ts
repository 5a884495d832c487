import { isList } from "../../base/index.ts";
import type { Level } from "../index.ts";
import { type CallReply, describeReply } from "./harness/reply.ts";
import { type EvidenceFrame, reportedFrames } from "./check-report.ts";

/** A verdict about one requirement, before it is put into a report. */
export interface CaseVerdict {
  readonly status: "passed" | "failed" | "untested" | "skipped" | "fault";
  /** What the subject did, if it broke the rule. */
  readonly actual: string;
  readonly evidence: string;
  readonly reason: string | undefined;
  readonly frames: readonly EvidenceFrame[];
  /** The level of the part that is broken, if it is lower than that of the requirement. */
  readonly level?: Level | undefined;
}

/**
 * What a verdict rests on: words, frames, and replies, which are described and bring their frames. The
 * requirement says what was expected, so the words only say what was seen, and in which attempt.
 */
export type Seen = string | EvidenceFrame | CallReply | undefined | readonly Seen[];

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

  /** The subject keeps the rule, or breaks it. Returns `isKept`, for a case that ends with a violation. */
  judge(id: string, isKept: boolean, ...seen: readonly Seen[]): boolean {
    if (isKept) this.pass(id, ...seen);
    else this.fail(id, ...seen);
    return isKept;
  }

  pass(id: string, ...seen: readonly Seen[]): void {
    if (this.#isClosed) return;
    const { words: evidence, frames } = read(seen);
    const notes = this.#notes.get(id) ?? [];
    if (!notes.includes(evidence)) notes.push(evidence);
    this.#notes.set(id, notes);
    this.#put(id, { ...EMPTY, status: "passed", evidence, frames });
  }

  fail(id: string, ...seen: readonly Seen[]): void {
    this.#put(id, this.failure(...seen));
  }

  /** As {@link judge}, for a part of the requirement that is only worth a warning. */
  judgeAsWarning(id: string, isKept: boolean, ...seen: readonly Seen[]): void {
    if (isKept) this.pass(id, ...seen);
    else this.#put(id, { ...this.failure(...seen), level: "WARN" });
  }

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

  protected failure(...seen: readonly Seen[]): CaseVerdict {
    const { words: actual, frames } = read(seen);
    return { ...EMPTY, status: "failed", actual, frames };
  }

  #put(id: string, verdict: CaseVerdict): void {
    if (this.#isClosed && (verdict.status === "passed" || verdict.status === "failed")) return;
    const known = this.#verdicts.get(id);
    const isWorse = known?.level !== undefined && verdict.level === undefined;
    if (known && rank(known) >= rank(verdict) && !(isWorse && verdict.status === "failed")) return;
    this.#verdicts.set(id, verdict);
  }
}

const EMPTY = { actual: "", evidence: "", reason: undefined, frames: [] };

/** The words of what was seen, and its frames, each once. */
function read(seen: readonly Seen[]): {
  readonly words: string;
  readonly frames: readonly EvidenceFrame[];
} {
  const words: string[] = [];
  const frames = new Set<EvidenceFrame>();
  const add = (one: Seen): void => {
    if (one === undefined) return;
    if (typeof one === "string") words.push(one);
    else if (isList(one)) one.forEach(add);
    else if (!("kind" in one)) frames.add(one);
    else {
      words.push(describeReply(one));
      one.frames.forEach(add);
    }
  };
  seen.forEach(add);
  const [first = "", ...rest] = words;
  return {
    words: rest.length === 0 ? first : `${first}: ${rest.join("; ")}`,
    frames: reportedFrames([...frames]),
  };
}

function rank({ status }: CaseVerdict): number {
  return PRECEDENCE.indexOf(status);
}

/** The first fault that there is. */
export function firstFault(...faults: readonly (Seen | false)[]): Seen {
  return faults.find((fault): fault is Seen => fault !== false && fault !== undefined);
}
