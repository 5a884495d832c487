import type { DroidPromptOptions } from "../protocol/prompt.ts";
import type { ObservedTurn } from "../turn/observed-turn.ts";
import { newTurn, type TrackerState } from "../turn/turn-tracker.ts";
import type { TurnStream } from "../turn/turn.ts";

/** A turn that has not ended. */
export interface ActiveTurn {
  readonly stream: TurnStream;
  readonly options: DroidPromptOptions;
  /** Aborted when the turn is over, because open requests no longer need an answer. */
  readonly over: AbortController;
  state: TrackerState;
  /** The id of the request with the prompt, once it is sent. */
  requestId: string | undefined;
  cancelled: boolean;
  structuredOutput: unknown;
  /** Set once the prompt is sent, if there are hooks. */
  observed: ObservedTurn | undefined;
}

/** A turn whose prompt has not been sent. */
export function activeTurn(stream: TurnStream, options: DroidPromptOptions): ActiveTurn {
  return {
    stream,
    options,
    over: new AbortController(),
    state: newTurn(stream.id, undefined),
    requestId: undefined,
    cancelled: false,
    structuredOutput: undefined,
    observed: undefined,
  };
}
