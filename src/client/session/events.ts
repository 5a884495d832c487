import type { Update } from "../../protocol/acp/index.ts";

/** A prompt was sent. */
export interface TurnStarted {
  readonly type: "turn_started";
  readonly text: "";
}

/** A turn ended, with the agent's stop reason or with the error that `turn.result` rejects with. */
export interface TurnEnded {
  readonly type: "turn_ended";
  readonly text: "";
  /** `end_turn`, `cancelled`, ...; undefined if the turn failed. */
  readonly stopReason: string | undefined;
  /** The error; undefined if the turn ended with a stop reason. */
  readonly error: Error | undefined;
}

/** The agent sent a message outside the protocol that has no handler. A request was answered with -32601. */
export interface ExtensionEvent {
  readonly type: "extension";
  readonly text: "";
  /** Whether it is a request or a notification. */
  readonly message: "request" | "notification";
  readonly method: string;
  /** The params, as received. */
  readonly params: unknown;
}

/**
 * An item of `session.updates()`: every update from the agent, the start and end of each turn, and
 * messages about the session that nothing handles.
 */
export type SessionEvent = Update | TurnStarted | TurnEnded | ExtensionEvent;
