import type { DroidFailure, DroidStopReason } from "../protocol/failures.ts";
import type { Spent } from "../protocol/usage.ts";

/** A signal that the end of a turn depends on. */
export type TrackerSignal =
  /** Droid accepted the prompt, and may work on it from now on. */
  | { readonly type: "accepted" }
  /** Droid echoed the user message, under the id Droid has given it. */
  | { readonly type: "echoed"; readonly messageId: string }
  | { readonly type: "state"; readonly state: string }
  /** An assistant message has started to stream. */
  | { readonly type: "streaming"; readonly messageId: string }
  /** An assistant message is complete. */
  | { readonly type: "message"; readonly messageId: string; readonly callsTools: boolean }
  | { readonly type: "retracted"; readonly messageId: string }
  | {
      readonly type: "completed";
      readonly turnId: string;
      readonly reason: DroidStopReason;
      readonly spent: Spent | undefined;
    }
  | { readonly type: "failed"; readonly failure: DroidFailure }
  /** Droid discarded the prompt. */
  | { readonly type: "discarded" }
  /** An interrupt was sent. */
  | { readonly type: "interrupting" }
  /** Droid answered the interrupt. */
  | { readonly type: "interrupted" }
  /** The barrier was answered, so everything Droid sent before it has arrived. */
  | { readonly type: "barrier" };

/** How a turn ended. */
export interface TrackerOutcome {
  readonly stopReason: DroidStopReason;
  readonly failure: DroidFailure | undefined;
  readonly spent: Spent | undefined;
}

/** The end of a turn that failed, before the reason is known. */
interface FailedTurn {
  readonly reason: DroidStopReason;
  readonly spent: Spent | undefined;
}

/** The state that the end of a turn depends on. */
export interface TrackerState {
  /** Whether turns end with `agent_turn_completed` in this version; undefined if that is not known. */
  readonly completesTurns: boolean | undefined;
  readonly turnIds: readonly string[];
  readonly accepted: boolean;
  /** Whether any part of this turn has arrived. An `idle` before that does not end the turn. */
  readonly started: boolean;
  readonly idle: boolean;
  /** Assistant messages that are streaming and not complete yet. */
  readonly open: readonly string[];
  /** Whether the model's last step was to finish a message without calling tools. */
  readonly answered: boolean;
  readonly barrierOpen: boolean;
  readonly interrupt: "none" | "sent" | "answered";
  readonly failure: DroidFailure | undefined;
  /** The stop reason of another turn that Droid ran meanwhile, such as a plan handed to a new session. */
  readonly foreign: DroidStopReason | undefined;
  /** Set if Droid has reported that the turn failed, but not yet why. */
  readonly failing: FailedTurn | undefined;
  readonly outcome: TrackerOutcome | undefined;
}

/** The action that follows a signal. */
export type TrackerAction = "none" | "end" | "send-barrier" | "interrupt-again";

/** The new state, and what to do. */
interface TrackerStep {
  readonly state: TrackerState;
  readonly action: TrackerAction;
}

/** A turn that is about to be sent. `turnId` is the id of its message. */
export function newTurn(turnId: string, completesTurns: boolean | undefined): TrackerState {
  return {
    completesTurns,
    turnIds: [turnId],
    accepted: false,
    started: false,
    idle: true,
    open: [],
    answered: false,
    barrierOpen: false,
    interrupt: "none",
    failure: undefined,
    foreign: undefined,
    failing: undefined,
    outcome: undefined,
  };
}

/**
 * Decides when a turn is over. Pure.
 *
 * In versions with `agent_turn_completed`, the one with the id of this turn ends it. In other
 * versions `idle` ends it, unless the answer is still missing: 0.36.2 sends `idle` before the last
 * message. In that case either the message ends the turn, or the response to one harmless request
 * that is sent as a barrier, whichever comes first. The same barrier settles every other `idle` that
 * may or may not be the end.
 */
export function step(state: TrackerState, signal: TrackerSignal): TrackerStep {
  if (state.outcome) return { state, action: "none" };
  switch (signal.type) {
    case "accepted":
      return stay({ ...state, accepted: true });
    case "echoed":
      return onProgress({
        ...state,
        started: true,
        turnIds: state.turnIds.includes(signal.messageId)
          ? state.turnIds
          : [...state.turnIds, signal.messageId],
      });
    case "state":
      return signal.state === "idle" ? onIdle(state) : onWorking(state);
    case "streaming":
      return onProgress({
        ...state,
        started: true,
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
      return onCompleted({ ...state, completesTurns: true }, signal);
    case "failed":
      return onFailed({ ...state, failure: signal.failure });
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

/**
 * For a bad image, 0.225.2 sends the end of the turn, then the error with its message, about a
 * millisecond later. A failed turn therefore ends only when its error or the barrier has arrived.
 */
function onCompleted(state: TrackerState, { reason, spent }: FailedTurn): TrackerStep {
  if (!isFailure(reason) || state.failure) return end(state, reason, spent);
  return askForBarrier({ ...state, failing: { reason, spent } });
}

function onFailed(state: TrackerState): TrackerStep {
  const { failing } = state;
  return failing ? end(state, failing.reason, failing.spent) : stay(state);
}

function isFailure(reason: DroidStopReason): boolean {
  switch (reason) {
    case "completed":
    case "cancelled":
    case "discarded":
    case "process_exit":
      return false;
    case "authentication":
    case "rate_limit":
    case "usage_exhausted":
    case "rejected":
    case "moderation":
    case "unavailable":
    case "error":
      return true;
  }
}

function onIdle(state: TrackerState): TrackerStep {
  if (!state.started) return stay({ ...state, idle: true });
  const idle = { ...state, idle: true };
  if (state.completesTurns === true) return askForBarrier(idle);
  if (isSettled(state)) return end(idle, reasonAtIdle(idle));
  return askForBarrier(idle);
}

/** Nothing is missing anymore: the answer is complete, or there will not be one. */
function isSettled(state: TrackerState): boolean {
  if (state.interrupt !== "none" || state.failure !== undefined) return true;
  return state.answered && state.open.length === 0;
}

function onWorking(state: TrackerState): TrackerStep {
  // A repeated state does not reset `answered`: the answer that has arrived still counts.
  return onProgress({ ...state, started: state.started || state.accepted, idle: false });
}

/**
 * Droid works on the turn. If it has already answered an interrupt, that interrupt came too early
 * and did not reach the turn. In 0.99 and 0.117 that is so until Droid has echoed the user message,
 * although it reports a working state before that.
 */
function onProgress(state: TrackerState): TrackerStep {
  if (state.interrupt !== "answered") return stay(state);
  return { state: { ...state, interrupt: "sent" }, action: "interrupt-again" };
}

function onMessage(state: TrackerState, messageId: string, callsTools: boolean): TrackerStep {
  const next = {
    ...state,
    started: true,
    answered: !callsTools,
    open: without(state.open, messageId),
  };
  const wasEarlyIdle = state.started && state.idle && state.completesTurns !== true;
  if (wasEarlyIdle && isSettled(next)) return end(next, reasonAtIdle(next));
  return stay(next);
}

function onInterrupted(state: TrackerState): TrackerStep {
  const next: TrackerState = { ...state, interrupt: "answered" };
  // Droid may have silently discarded a turn that had not started.
  return state.idle ? askForBarrier(next) : stay(next);
}

function onBarrier(state: TrackerState): TrackerStep {
  const next = { ...state, barrierOpen: false };
  if (next.failing) return end(next, next.failing.reason, next.failing.spent);
  if (!next.idle) return stay(next);
  if (next.started || next.interrupt === "answered") return end(next, reasonAtIdle(next));
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

function end(state: TrackerState, reported: DroidStopReason, spent?: Spent): TrackerStep {
  const reason = moreExact(reported, state.failure);
  // When a hook blocks a prompt, Droid reports an error and then discards the prompt.
  const succeeded = reason === "completed" || reason === "cancelled";
  const failure = succeeded ? undefined : state.failure;
  return { state: { ...state, outcome: { stopReason: reason, failure, spent } }, action: "end" };
}

/**
 * 0.215.0 reports a missing login only as `error`, and up to 0.225.2 the content filter of a model is
 * a rejected request. The failure that Droid reported besides has the exact reason.
 */
function moreExact(reported: DroidStopReason, failure: DroidFailure | undefined): DroidStopReason {
  if (!failure) return reported;
  const isExact = reported === "error" || failure.reason === "moderation";
  return isExact && isFailure(reported) ? failure.reason : reported;
}

function without(list: readonly string[], entry: string): readonly string[] {
  return list.includes(entry) ? list.filter((one) => one !== entry) : list;
}
