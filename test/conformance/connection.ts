import { ConnectionJudge, type Violation } from "../../src/conformance/index.ts";
import { SessionModel } from "../../src/trace/index.ts";

/** A connection that a test plays, with its judge. */
export class JudgedLines {
  readonly judge: ConnectionJudge;
  readonly #model = new SessionModel();

  constructor(protocol: 1 | 2 = 1) {
    this.judge = new ConnectionJudge({ protocol, model: this.#model });
  }

  /** The ids of all broken rules so far. */
  get broken(): readonly string[] {
    return this.judge.violations.map(({ id }) => id);
  }

  /** A side writes a line, or a message. Returns the rules that it breaks. */
  saw(from: "agent" | "client", value: unknown): readonly Violation[] {
    const line = typeof value === "string" ? value : JSON.stringify(value);
    const direction = from === "agent" ? "in" : "out";
    const frame = this.#model.append({ ms: 0, direction, line });
    return frame ? this.judge.saw(frame) : [];
  }
}
