import { SessionJudge, type Violation } from "../../../conformance/index.ts";
import type { SessionModel, TracedFrame } from "../../../trace/index.ts";
import { type Finding, findingOf } from "./finding.ts";

/** The findings about a session: everything that the rules say about its frames, as they come. */
export class SessionFindings {
  readonly #judge: SessionJudge;
  readonly #byRow = new Map<number, string[]>();

  /** `model` takes each frame before it is judged. */
  constructor(model: SessionModel) {
    this.#judge = new SessionJudge(model);
  }

  /** Everything found so far, in the order of the first deciding frames. */
  get list(): readonly Finding[] {
    return this.#judge.connections
      .flatMap(({ protocol, judge }) =>
        judge.violations.map((violation) => findingOf(violation, protocol)),
      )
      .toSorted((a, b) => firstOf(a) - firstOf(b));
  }

  /** The rules that a frame breaks, by its row, for `bad:` in a filter. */
  readonly rulesOf = (row: number): readonly string[] => this.#byRow.get(row) ?? [];

  saw(frame: TracedFrame): void {
    this.#mark(this.#judge.saw(frame));
  }

  /** Judges what only the end of a recording shows. Call it once. */
  finish(): void {
    this.#mark(this.#judge.finish());
  }

  #mark(violations: readonly Violation[]): void {
    for (const { id, frames } of violations) {
      for (const n of frames) {
        const rules = this.#byRow.get(n - 1) ?? [];
        if (!rules.includes(id)) this.#byRow.set(n - 1, [...rules, id]);
      }
    }
  }
}

function firstOf({ frames }: Finding): number {
  return Math.min(...frames, Number.POSITIVE_INFINITY);
}
