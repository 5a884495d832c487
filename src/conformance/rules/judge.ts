import type { CheckedSide } from "../requirement.ts";
import { Connection, type ConnectionJudgeOptions } from "./connection.ts";
import { type ReadFrame, readFrame, type WireFrame } from "./message.ts";
import type { RuleReport, Violation } from "./rule.ts";
import { rulesOf } from "./rules.ts";

/** Enough of one kind: a flood of the same violation tells nothing new. */
const MAX_PER_RULE = 20;

/** Watches one connection, frame by frame, and judges every passive requirement. Pure. */
export class ConnectionJudge {
  /** How many frames were judged, by the id of the requirement. */
  readonly judged = new Map<string, number>();
  readonly violations: Violation[] = [];
  readonly #connection: Connection;
  readonly #watchers: readonly {
    readonly side: CheckedSide;
    readonly see: (frame: ReadFrame, report: RuleReport) => void;
  }[];

  constructor(options: ConnectionJudgeOptions) {
    this.#connection = new Connection(options);
    this.#watchers = rulesOf(options.protocol).map(({ side, watch }) => ({
      side,
      see: watch(this.#connection),
    }));
  }

  /** Adds a frame. Returns the rules that it breaks. */
  saw(frame: WireFrame | ReadFrame): readonly Violation[] {
    const read = "message" in frame ? frame : readFrame(frame);
    const before = this.violations.length;
    this.#connection.saw(read);
    for (const { side, see } of this.#watchers) {
      see(read, {
        kept: (id) => this.#count(id),
        broken: (id, { expected, actual, frames = [read.n] }) => {
          this.#count(id);
          this.#add({ id, side, expected, actual, frames });
        },
      });
    }
    return this.violations.slice(before);
  }

  #count(id: string): void {
    this.judged.set(id, (this.judged.get(id) ?? 0) + 1);
  }

  #add(violation: Violation): void {
    const same = this.violations.filter(({ id }) => id === violation.id);
    if (same.length < MAX_PER_RULE) this.violations.push(violation);
  }
}
