import type { SessionModel, TracedFrame } from "../../trace/index.ts";
import type { CheckedSide } from "../requirement.ts";
import { Connection, type JudgedFrame } from "./connection.ts";
import type { RuleContext, RuleReport, Violation } from "./rule.ts";
import { rulesOf } from "./rules.ts";

/** Enough of one kind: a flood of the same violation tells nothing new. */
const MAX_PER_RULE = 20;

/** The connection to judge. */
export interface ConnectionJudgeOptions {
  readonly protocol: 1 | 2;
  /** The model that takes each frame before the judge sees it. */
  readonly model: SessionModel;
  /** The name of the connection in the model. Default: the first or only one. */
  readonly lane?: string | undefined;
  /** Values that the agent was given and must not show. */
  readonly secrets?: readonly string[] | undefined;
}

/** Watches one connection, frame by frame, and judges every requirement that frames alone can show. Pure. */
export class ConnectionJudge {
  /** How many times each requirement was judged, by its id. */
  readonly judged = new Map<string, number>();
  readonly #context: RuleContext;
  readonly #rules: ReturnType<typeof rulesOf>;
  readonly #watchers: readonly {
    readonly side: CheckedSide;
    readonly see: (frame: JudgedFrame, report: RuleReport) => void;
  }[];
  readonly #violations = new Map<string, Violation>();
  readonly #perRule = new Map<string, number>();

  constructor({ protocol, model, lane = "", secrets }: ConnectionJudgeOptions) {
    this.#context = { connection: new Connection(protocol, secrets), model, lane };
    this.#rules = rulesOf(protocol);
    this.#watchers = this.#rules.map(({ side, watch }) => ({ side, see: watch(this.#context) }));
  }

  /** Everything found so far, in the order in which it was found. */
  get violations(): readonly Violation[] {
    return [...this.#violations.values()];
  }

  /** Adds a frame. Returns the rules that it breaks. */
  saw(traced: TracedFrame): readonly Violation[] {
    const from = traced.direction === "in" ? "agent" : "client";
    const frame: JudgedFrame = { ...traced, n: traced.row + 1, from };
    this.#context.connection.saw(frame);
    const found: Violation[] = [];
    for (const { side, see } of this.#watchers) see(frame, this.#report(side, [frame.n], found));
    return found;
  }

  /** Judges what only the end of the connection shows. Call it once. Returns the broken rules. */
  finish(): readonly Violation[] {
    const found: Violation[] = [];
    for (const { side, finish } of this.#rules)
      finish?.(this.#context, this.#report(side, [], found));
    return found;
  }

  #report(side: CheckedSide, current: readonly number[], found: Violation[]): RuleReport {
    return {
      kept: (id) => this.#count(id),
      broken: (id, { expected, actual, frames = current, level }) => {
        this.#count(id);
        const violation = { id, side, expected, actual, frames, level };
        if (this.#add(violation)) found.push(violation);
      },
    };
  }

  #count(id: string): void {
    this.judged.set(id, (this.judged.get(id) ?? 0) + 1);
  }

  /** A violation that goes on, such as a late replay, replaces its beginning. */
  #add(violation: Violation): boolean {
    const { id, actual, frames } = violation;
    const key = `${id} ${frames[0] ?? 0} ${actual}`;
    if (!this.#violations.has(key)) {
      const count = this.#perRule.get(id) ?? 0;
      if (count >= MAX_PER_RULE) return false;
      this.#perRule.set(id, count + 1);
    }
    this.#violations.set(key, violation);
    return true;
  }
}
