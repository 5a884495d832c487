/** A schema for an answer cannot be used; the message says why. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";
}

/** The agent's answer did not match the schema, even after the retries. */
export class AnswerMismatchError extends Error {
  override readonly name = "AnswerMismatchError";
  /** The faults of the last answer, each with its place. */
  readonly faults: readonly string[];
  /** The last answer, as the agent wrote it. */
  readonly answer: string;
  /** How many answers were tried. */
  readonly attempts: number;

  constructor(faults: readonly string[], answer: string, attempts: number) {
    super(
      `the answer does not match the schema (${attempts} ${attempts === 1 ? "attempt" : "attempts"}): ${faults.join("; ")}`,
    );
    this.faults = faults;
    this.answer = answer;
    this.attempts = attempts;
  }
}
