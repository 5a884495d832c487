import { DragomanError } from "../../base/index.ts";

/** What a typed answer needs of the result of a turn. */
export interface AnswerResult {
  /** How the turn ended. `end_turn` and `completed` mean that there is an answer. */
  readonly stopReason: string;
  /** The last message. Those before it often only announce a tool call. */
  readonly finalMessage: string;
  /** Why the turn failed, if the agent says so. */
  readonly failure?: { readonly message: string } | undefined;
}

/** A schema for an answer cannot be used; the message says why. */
export class SchemaError extends DragomanError {
  override readonly name = "SchemaError";

  constructor(message: string, options?: ErrorOptions) {
    super("invalid_argument", message, options);
  }
}

/** The agent's answer did not match the schema, even after the retries. */
export class AnswerMismatchError extends DragomanError {
  override readonly name = "AnswerMismatchError";
  /** The faults of the last answer, each with its place. */
  readonly faults: readonly string[];
  /** The last answer, as the agent wrote it. */
  readonly answer: string;
  /** How many answers were tried. */
  readonly attempts: number;

  constructor(faults: readonly string[], answer: string, attempts: number) {
    super(
      "answer_mismatch",
      `the answer does not match the schema (${attempts} ${attempts === 1 ? "attempt" : "attempts"}): ${faults.join("; ")}`,
    );
    this.faults = faults;
    this.answer = answer;
    this.attempts = attempts;
  }
}

/** A turn ended without the answer that it had to give, for example because it was cancelled. */
export class TurnIncompleteError<Result extends AnswerResult = AnswerResult> extends DragomanError {
  override readonly name = "TurnIncompleteError";
  /** How the turn ended. */
  readonly result: Result;

  constructor(result: Result) {
    const { stopReason, failure } = result;
    const why = failure ? `: ${failure.message}` : "";
    super("turn_incomplete", `the turn gave no answer, it ended with "${stopReason}"${why}`);
    this.result = result;
  }
}
