import type { Update } from "../../acp/index.ts";

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
  readonly error: Error | undefined;
}

/** An item of `session.updates()`: every update from the agent, and the start and end of each turn. */
export type SessionEvent = Update | TurnStarted | TurnEnded;
