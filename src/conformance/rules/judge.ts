import { paramsOf, type SessionModel, type TracedFrame } from "../../trace/index.ts";
import type { CheckedSide } from "../requirement.ts";
import { Connection, type JudgedFrame } from "./connection.ts";
import { messageRules } from "./message-rules.ts";
import { ORDER_RULES, V2_ORDER_RULES } from "./order-rules.ts";
import type { Judge, Rule, RuleContext, Violation } from "./rule.ts";
import { V1_RULES } from "./v1-rules.ts";
import { V2_RULES } from "./v2-rules.ts";

function rulesOf(protocol: 1 | 2): readonly Rule[] {
  return protocol === 1
    ? [...messageRules("DRA-META-01"), ...V1_RULES, ...ORDER_RULES]
    : [...messageRules("ACP-META-201"), ...V2_RULES, ...V2_ORDER_RULES];
}

/** The requirements of a version that frames alone can show to be kept or broken. */
export function judgedIds(protocol: 1 | 2): ReadonlySet<string> {
  return new Set(rulesOf(protocol).flatMap(({ ids }) => ids));
}

/** Enough of one kind: a flood of the same violation tells nothing new. */
const MAX_PER_RULE = 20;

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
  readonly #rules: readonly Rule[];
  readonly #watchers: readonly {
    readonly side: CheckedSide;
    readonly see: (frame: JudgedFrame, judge: Judge) => void;
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
    for (const { side, see } of this.#watchers) see(frame, this.#judge(side, [frame.n], found));
    return found;
  }

  /** Judges what only the end of the connection shows. Call it once. Returns the broken rules. */
  finish(): readonly Violation[] {
    const found: Violation[] = [];
    for (const { side, finish } of this.#rules)
      finish?.(this.#context, this.#judge(side, [], found));
    return found;
  }

  #judge(side: CheckedSide, current: readonly number[], found: Violation[]): Judge {
    return (id, problem, frames = current, level) => {
      this.judged.set(id, (this.judged.get(id) ?? 0) + 1);
      if (problem === undefined || problem === false) return;
      const violation = { id, side, actual: problem, frames, level };
      if (this.#add(violation)) found.push(violation);
    };
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

/** A judged connection, and the version that it speaks. */
export interface JudgedConnection {
  readonly protocol: 1 | 2;
  readonly judge: ConnectionJudge;
}

/** Judges the frames of a session as they come, whatever connections it has. */
export class SessionJudge {
  readonly #model: SessionModel;
  /** Undefined for a connection that speaks MCP, which ACP has no rules for. */
  readonly #connections = new Map<string, JudgedConnection | undefined>();
  /** Frames that wait until the version of the protocol is known. */
  readonly #waiting = new Map<string, TracedFrame[]>();

  /** `model` takes each frame before the judge sees it. */
  constructor(model: SessionModel) {
    this.#model = model;
  }

  /** The connections whose version is known. */
  get connections(): readonly JudgedConnection[] {
    return [...this.#connections.values()].filter((one) => one !== undefined);
  }

  /** Judges a frame. Returns the rules that it breaks, with those of frames that had to wait for it. */
  saw(frame: TracedFrame): readonly Violation[] {
    const { lane } = frame;
    if (this.#connections.has(lane)) return this.#connections.get(lane)?.judge.saw(frame) ?? [];
    const waiting = [...(this.#waiting.get(lane) ?? []), frame];
    if (frame.method === "initialize" && frame.message.kind === "request") {
      this.#waiting.set(lane, waiting);
      return [];
    }
    return this.#open(lane, waiting);
  }

  /** Judges what only the end of a recording shows. Call it once. */
  finish(): readonly Violation[] {
    const found = [...this.#waiting].flatMap(([lane, waiting]) => this.#open(lane, waiting));
    return [...found, ...this.connections.flatMap(({ judge }) => judge.finish())];
  }

  /** The version is that of the agent's answer. A capture that begins in the middle is taken for v1. */
  #open(lane: string, waiting: readonly TracedFrame[]): readonly Violation[] {
    this.#waiting.delete(lane);
    if (lane.endsWith("(MCP)") || waiting.some(isMcp)) {
      this.#connections.set(lane, undefined);
      return [];
    }
    const model = this.#model;
    const version = model.lanes.find(({ name }) => name === lane)?.protocolVersion ?? 1;
    const protocol = version >= 2 ? 2 : 1;
    const judge = new ConnectionJudge({ protocol, model, lane });
    this.#connections.set(lane, { protocol, judge });
    return waiting.flatMap((frame) => judge.saw(frame));
  }
}

function isMcp({ message, method }: TracedFrame): boolean {
  if (method === "initialize") return typeof paramsOf(message)["protocolVersion"] === "string";
  return /^(?:tools|resources|prompts|roots|sampling|completion|logging|notifications)\//.test(
    method,
  );
}
