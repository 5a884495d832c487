import type { TurnState } from "../session/session.ts";

/**
 * The events that change the state: the prompt is sent, an update arrives, the user is asked, the last open
 * question is answered, a cancel is sent, the turn ends.
 */
export type TurnEvent = "prompt" | "update" | "ask" | "answer" | "cancel" | "end";

/*
 * An event that is not listed leaves the state as it is. A question may arrive before any update. A
 * late update or question does not undo a cancel.
 */
const TRANSITIONS: { readonly [S in TurnState]: { readonly [E in TurnEvent]?: TurnState } } = {
  idle: { prompt: "prompting" },
  prompting: {
    update: "streaming",
    ask: "waiting_permission",
    cancel: "cancelling",
    end: "idle",
  },
  streaming: { ask: "waiting_permission", cancel: "cancelling", end: "idle" },
  waiting_permission: { answer: "streaming", cancel: "cancelling", end: "idle" },
  cancelling: { end: "idle" },
};

/** The state after an event. Pure and total. */
export function nextTurnState(state: TurnState, event: TurnEvent): TurnState {
  return TRANSITIONS[state][event] ?? state;
}
