import { ConnectionJudge } from "../../conformance/index.ts";
import type { SessionModel, TracedFrame } from "../../trace/index.ts";
import { type Finding, FindingMaker } from "./finding.ts";
import { OrderRules } from "./order-rules.ts";

interface LaneRules {
  readonly judge: ConnectionJudge;
  readonly order: OrderRules;
  readonly maker: FindingMaker;
}

/**
 * Judges the frames of a session as they come, by the rules that `dragoman check` uses too. Give each frame
 * to `saw` after the model has taken it: `new SessionModel((frame) => findings.saw(frame))`.
 */
export class SessionFindings {
  readonly #model: () => SessionModel;
  /** The rules of each connection; undefined for one that speaks MCP. */
  readonly #lanes = new Map<string, LaneRules | undefined>();
  /** Frames that wait until the version of the protocol is known. */
  readonly #waiting = new Map<string, TracedFrame[]>();
  readonly #found = new Map<string, Finding>();
  readonly #byRow = new Map<number, string[]>();

  /** `model` returns the model that the frames belong to. */
  constructor(model: () => SessionModel) {
    this.#model = model;
  }

  /** Everything found so far, in the order of the first deciding frames. */
  get list(): readonly Finding[] {
    return [...this.#found.values()].toSorted((a, b) => firstOf(a) - firstOf(b));
  }

  /** The rules that a frame breaks, by its row, for `bad:` in a filter. */
  readonly rulesOf = (row: number): readonly string[] => this.#byRow.get(row) ?? [];

  /** Judges a frame. */
  saw(frame: TracedFrame): void {
    const { lane } = frame;
    if (this.#lanes.has(lane)) return this.#judge(this.#lanes.get(lane), frame);
    const waiting = [...(this.#waiting.get(lane) ?? []), frame];
    if (frame.method === "initialize" && frame.message.kind === "request") {
      this.#waiting.set(lane, waiting);
      return;
    }
    this.#open(lane, waiting);
  }

  /** Judges what can be judged only at the end of a recording. Call it once. */
  finish(): void {
    for (const [lane, waiting] of this.#waiting) this.#open(lane, waiting);
    for (const [lane, rules] of this.#lanes) rules?.order.finish(lane);
  }

  /** The version is that of the agent's answer. A capture that begins in the middle is taken for v1. */
  #open(lane: string, waiting: readonly TracedFrame[]): void {
    this.#waiting.delete(lane);
    if (waiting.some(isMcp)) {
      this.#lanes.set(lane, undefined);
      return;
    }
    const model = this.#model();
    const version = model.lanes.find(({ name }) => name === lane)?.protocolVersion ?? 1;
    const protocol = version >= 2 ? 2 : 1;
    const maker = new FindingMaker(protocol);
    const order = new OrderRules(model, maker, protocol === 2, (found) => this.#add(found));
    const rules = { judge: new ConnectionJudge({ protocol }), order, maker };
    this.#lanes.set(lane, rules);
    for (const frame of waiting) this.#judge(rules, frame);
  }

  #judge(rules: LaneRules | undefined, frame: TracedFrame): void {
    if (!rules) return;
    const { judge, order, maker } = rules;
    const { row, ms, direction, line } = frame;
    const from = direction === "in" ? "agent" : "client";
    for (const violation of judge.saw({ n: row + 1, time: ms, from, line })) {
      const { id, expected, actual, frames } = violation;
      const rows = frames.map((n) => n - 1);
      this.#add(maker.make(id, `expected ${expected}, but saw ${actual}`, rows));
    }
    order.saw(frame);
  }

  /** A finding with the same rule and the same first frame replaces the one before. */
  #add(finding: Finding): void {
    const { rule, frames, message } = finding;
    this.#found.set(`${rule} ${frames[0] ?? 0} ${message}`, finding);
    for (const n of frames) {
      const rules = this.#byRow.get(n - 1) ?? [];
      if (!rules.includes(rule)) this.#byRow.set(n - 1, [...rules, rule]);
    }
  }
}

/** A conductor also records the traffic with MCP servers, which ACP has no rules for. */
function isMcp({ message, method }: TracedFrame): boolean {
  if (method === "initialize") return typeof message.params["protocolVersion"] === "string";
  return /^(?:tools|resources|prompts|roots|sampling|completion|logging|notifications)\//.test(
    method,
  );
}

function firstOf({ frames }: Finding): number {
  return Math.min(...frames, Number.POSITIVE_INFINITY);
}
