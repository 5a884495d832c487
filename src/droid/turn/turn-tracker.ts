import type { DroidFailure, DroidStopReason } from "../protocol/failures.ts";
import type { TokenUsage } from "../protocol/protocol.ts";

/** What happens to a turn, as far as its end depends on it. */
export type TrackerSignal =
  /** Droid took the prompt; from here on it may work on it. */
  | { readonly type: "accepted" }
  /** The user's message was shown back, under the id Droid knows it by. */
  | { readonly type: "echoed"; readonly messageId: string }
  | { readonly type: "state"; readonly state: string }
  /** An assistant message has begun to stream. */
  | { readonly type: "streaming"; readonly messageId: string }
  /** An assistant message is there, whole. */
  | { readonly type: "message"; readonly messageId: string; readonly callsTools: boolean }
  | { readonly type: "retracted"; readonly messageId: string }
  | {
      readonly type: "completed";
      readonly turnId: string;
      readonly reason: DroidStopReason;
      readonly usage: TokenUsage | undefined;
    }
  | { readonly type: "failed"; readonly failure: DroidFailure }
  /** Droid threw our message away. */
  | { readonly type: "discarded" }
  /** An interrupt was sent. */
  | { readonly type: "interrupting" }
  /** Droid answered the interrupt. */
  | { readonly type: "interrupted" }
  /** The barrier was answered: whatever Droid had to say before it has been said. */
  | { readonly type: "barrier" };

/** How a turn ended. */
export interface TrackerOutcome {
  readonly stopReason: DroidStopReason;
  readonly failure: DroidFailure | undefined;
  readonly usage: TokenUsage | undefined;
}

/** What the end of a turn depends on. */
export interface TrackerState {
  /** Whether turns end with `agent_turn_completed` in this version; undefined where it is not known. */
  readonly completesTurns: boolean | undefined;
  readonly turnIds: readonly string[];
  readonly accepted: boolean;
  /** Something of this turn was seen: an idle from before it does not end it. */
  readonly begun: boolean;
  readonly idle: boolean;
  /** Assistant messages that streamed and whose whole has not come. */
  readonly open: readonly string[];
  /** The last thing the model did was to finish a message without calling tools. */
  readonly answered: boolean;
  readonly barrierOpen: boolean;
  readonly interrupt: "none" | "sent" | "answered";
  readonly failure: DroidFailure | undefined;
  /** The end of another turn that Droid ran meanwhile, such as a plan handed to a new session. */
  readonly foreign: DroidStopReason | undefined;
  readonly outcome: TrackerOutcome | undefined;
}

/** What is to be done after a signal. */
export type TrackerAction = "none" | "end" | "send-barrier" | "interrupt-again";

/** A state and what to do in it. */
export interface TrackerStep {
  readonly state: TrackerState;
  readonly action: TrackerAction;
}

/** A turn that is about to be sent, under the id its message is given. */
export function newTurn(turnId: string, completesTurns: boolean | undefined): TrackerState {
  return {
    completesTurns,
    turnIds: [turnId],
    accepted: false,
    begun: false,
    idle: true,
    open: [],
    answered: false,
    barrierOpen: false,
    interrupt: "none",
    failure: undefined,
    foreign: undefined,
    outcome: undefined,
  };
}

/**
 * Decides when a turn is over. Pure.
 *
 * Where turns end with `agent_turn_completed`, the one for our turn ends it. Elsewhere `idle` does,
 * unless the answer is still owed: 0.36.2 sends `idle` before the last message. Then the message
 * ends the turn, or the answer to one harmless request sent as a barrier, whichever comes first.
 * The same barrier resolves every other `idle` that could be the end but need not be.
 */
export function step(state: TrackerState, signal: TrackerSignal): TrackerStep {
  if (state.outcome) return { state, action: "none" };
  switch (signal.type) {
    case "accepted":
      return stay({ ...state, accepted: true });
    case "echoed":
      return goesOn({
        ...state,
        begun: true,
        turnIds: state.turnIds.includes(signal.messageId)
          ? state.turnIds
          : [...state.turnIds, signal.messageId],
      });
    case "state":
      return signal.state === "idle" ? onIdle(state) : onWorking(state);
    case "streaming":
      return goesOn({
        ...state,
        begun: true,
        answered: false,
        open: state.open.includes(signal.messageId)
          ? state.open
          : [...state.open, signal.messageId],
      });
    case "message":
      return onMessage(state, signal.messageId, signal.callsTools);
    case "retracted":
      return stay({ ...state, open: without(state.open, signal.messageId), answered: false });
    case "completed":
      if (!state.turnIds.includes(signal.turnId))
        return stay({ ...state, completesTurns: true, foreign: signal.reason });
      return end({ ...state, completesTurns: true }, signal.reason, signal.usage);
    case "failed":
      return stay({ ...state, failure: signal.failure });
    case "discarded":
      return end(state, state.interrupt === "none" ? "discarded" : "cancelled");
    case "interrupting":
      return stay({ ...state, interrupt: "sent" });
    case "interrupted":
      return onInterrupted(state);
    case "barrier":
      return onBarrier(state);
  }
}

function onIdle(state: TrackerState): TrackerStep {
  if (!state.begun) return stay({ ...state, idle: true });
  const idle = { ...state, idle: true };
  if (state.completesTurns === true) return askForBarrier(idle);
  if (isSettled(state)) return end(idle, reasonAtIdle(idle));
  return askForBarrier(idle);
}

/** Nothing more can be owed: the answer is there whole, or there will be none. */
function isSettled(state: TrackerState): boolean {
  if (state.interrupt !== "none" || state.failure !== undefined) return true;
  return state.answered && state.open.length === 0;
}

function onWorking(state: TrackerState): TrackerStep {
  // A repeated state keeps the answer that has come; a new start after an idle asks for a new one.
  return goesOn({ ...state, begun: state.begun || state.accepted, idle: false });
}

/**
 * Droid works on the turn. If it answered an interrupt before, that came too early and did not
 * reach the turn: in 0.99 and 0.117 until Droid has shown the user's message, though it says
 * before that it works.
 */
function goesOn(state: TrackerState): TrackerStep {
  if (state.interrupt !== "answered") return stay(state);
  return { state: { ...state, interrupt: "sent" }, action: "interrupt-again" };
}

function onMessage(state: TrackerState, messageId: string, callsTools: boolean): TrackerStep {
  const next = {
    ...state,
    begun: true,
    answered: !callsTools,
    open: without(state.open, messageId),
  };
  const wasEarlyIdle = state.begun && state.idle && state.completesTurns !== true;
  if (wasEarlyIdle && isSettled(next)) return end(next, reasonAtIdle(next));
  return stay(next);
}

function onInterrupted(state: TrackerState): TrackerStep {
  const next: TrackerState = { ...state, interrupt: "answered" };
  // A turn that had not begun may have been thrown away without a word.
  return state.idle ? askForBarrier(next) : stay(next);
}

function onBarrier(state: TrackerState): TrackerStep {
  const next = { ...state, barrierOpen: false };
  if (!next.idle) return stay(next);
  if (next.begun || next.interrupt === "answered") return end(next, reasonAtIdle(next));
  return stay(next);
}

function reasonAtIdle(state: TrackerState): DroidStopReason {
  if (state.interrupt !== "none") return "cancelled";
  if (state.failure) return state.failure.reason;
  return state.foreign ?? "completed";
}

function askForBarrier(state: TrackerState): TrackerStep {
  if (state.barrierOpen) return stay(state);
  return { state: { ...state, barrierOpen: true }, action: "send-barrier" };
}

function stay(state: TrackerState): TrackerStep {
  return { state, action: "none" };
}

function end(state: TrackerState, told: DroidStopReason, usage?: TokenUsage): TrackerStep {
  // 0.215.0 says of a missing login only `error`; what it said before that is more exact.
  const reason = told === "error" && state.failure ? state.failure.reason : told;
  // A hook that forbids a prompt is told as an error, and then the prompt is thrown away.
  const succeeded = reason === "completed" || reason === "cancelled";
  const failure = succeeded ? undefined : state.failure;
  return { state: { ...state, outcome: { stopReason: reason, failure, usage } }, action: "end" };
}

function without(list: readonly string[], entry: string): readonly string[] {
  return list.includes(entry) ? list.filter((one) => one !== entry) : list;
}
