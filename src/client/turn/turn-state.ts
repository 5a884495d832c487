/** Where a session stands in its turn. */
export type TurnState = "idle" | "prompting" | "streaming" | "waiting_permission" | "cancelling";

/** What moves it: the prompt goes out, an update comes, a person is asked, the last answer is given, a cancel goes out, the turn ends. */
export type TurnEvent = "prompt" | "update" | "ask" | "answer" | "cancel" | "end";

/*
 * What is not listed leaves the state. A question may come before any update, and a late update or
 * question changes nothing about a cancel.
 */
const MOVES: { readonly [S in TurnState]: { readonly [E in TurnEvent]?: TurnState } } = {
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
  return MOVES[state][event] ?? state;
}
