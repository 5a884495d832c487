import type { Update } from "../../acp/index.ts";

/** A prompt went out. */
export interface TurnStarted {
  readonly type: "turn_started";
  readonly text: "";
}

/** A turn is over: with the agent's reason, or with the error that `turn.result` rejects with. */
export interface TurnEnded {
  readonly type: "turn_ended";
  readonly text: "";
  /** `end_turn`, `cancelled`, ...; undefined when the turn failed. */
  readonly stopReason: string | undefined;
  readonly error: Error | undefined;
}

/** What `session.updates()` yields: every update of the agent, and where turns begin and end. */
export type SessionEvent = Update | TurnStarted | TurnEnded;
