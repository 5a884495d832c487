import { paramsOf, type SessionModel, type TracedFrame } from "../../trace/index.ts";
import { ConnectionJudge } from "./judge.ts";
import type { Violation } from "./rule.ts";

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
