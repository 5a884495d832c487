import { DroidError } from "../errors.ts";
import type { DroidTurnResult } from "./turn.ts";

/** A turn that had to complete did not: it failed or was cancelled, or Droid discarded the prompt. */
export class DroidTurnError extends DroidError {
  override readonly name = "DroidTurnError";
  /** How the turn ended, and the failure of the model service. */
  readonly result: DroidTurnResult;

  /** Describes a turn that did not complete. */
  constructor(result: DroidTurnResult) {
    const { stopReason, failure } = result;
    const why = failure ? `: ${failure.message}` : "";
    super("turn_failed", `the turn did not complete, it ended with "${stopReason}"${why}`);
    this.result = result;
  }
}
