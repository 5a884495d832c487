import type { PromptResult, Update } from "../../acp/index.ts";

/** How a turn ended: `stopReason`, and the agent's answer as it came. */
export type TurnResult = PromptResult;

/**
 * One prompt and all that the agent does about it.
 *
 * Iterate it for its updates, or take `text()`, or only await `result`. It is read once; leaving the
 * loop early cancels it. A turn that nobody reads finishes all the same.
 */
export interface PromptTurn extends AsyncIterable<Update> {
  /**
   * Resolves when the turn is over, after all its updates were handed over. Rejects with RemoteError
   * (the agent answered with an error), ConnectionError (it is gone), TimeoutError, CancelIgnoredError,
   * ProtocolViolation, or SessionError (the session was closed). The loop throws the same error.
   * A rejection that nobody looks at is never reported as unhandled.
   */
  readonly result: Promise<TurnResult>;
  /** How many updates were dropped because nobody read them in time. */
  readonly dropped: number;
  /**
   * Asks the agent to end the turn; it usually ends with `cancelled` then. A turn that still waits for
   * its start ends at once. Resolves when the turn is over, in whatever way; it never rejects.
   */
  cancel(): Promise<void>;
  /**
   * Reads the turn and collects the text of the agent's answer. Rejects as `result` does, with
   * AlreadyReadError, or with UpdatesLostError when parts of the answer were dropped before.
   */
  text(): Promise<string>;
}
