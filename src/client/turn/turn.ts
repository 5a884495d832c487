import type { Meta, PromptResult, Update } from "../../protocol/acp/index.ts";

/** How to cancel. */
export interface CancelOptions {
  /** Stops the waiting when aborted. The cancel itself is sent at once. */
  readonly signal?: AbortSignal | undefined;
  /** Sent as the `_meta` of the cancel. */
  readonly meta?: Meta | undefined;
}

/** How a turn ended: the `stopReason`, and the agent's unchanged answer. */
export type TurnResult = PromptResult;

/**
 * One prompt and everything the agent does in response.
 *
 * Iterate over its updates, call `text()`, or just await `result`. It can be read only once. Leaving the
 * loop early cancels the turn. A turn without a reader still runs to its end.
 */
export interface PromptTurn extends AsyncIterable<Update> {
  /**
   * Resolves when the turn has ended, after all its updates have arrived. Rejects with RemoteError (the
   * agent answered with an error), ConnectionError (the connection is gone), TimeoutError,
   * CancelIgnoredError, ProtocolViolation, or SessionError (the session was closed). The loop throws the
   * same error. A rejection without a listener is not reported as unhandled.
   */
  readonly result: Promise<TurnResult>;
  /** How many updates were dropped because they were not read in time. */
  readonly dropped: number;
  /**
   * Asks the agent to end the turn, which then usually ends with `cancelled`. A queued turn ends
   * immediately. Resolves when the turn has ended, for any reason, or when the signal is aborted;
   * never rejects.
   */
  cancel(options?: CancelOptions): Promise<void>;
  /**
   * Reads the turn and collects the text of the agent's answer. Rejects like `result`, with
   * AlreadyReadError, or with UpdatesLostError if parts of the answer were already dropped.
   */
  text(): Promise<string>;
}
