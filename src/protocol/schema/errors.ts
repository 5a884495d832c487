import { DragomanError } from "../../base/index.ts";
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
