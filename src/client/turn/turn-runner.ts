import {
  AGENT_METHODS,
  ERROR_CODES,
  type Meta,
  metaField,
  type PromptResult,
  readPromptResult,
  type Update,
} from "../../protocol/acp/index.ts";
import { CallCancelledError, RemoteError } from "../../transport/rpc/index.ts";
import { log, type QueuedItem, toError } from "../../base/index.ts";
import { CancelIgnoredError, TimeoutError } from "../errors.ts";
import type { SessionEvent, TurnState, WhenBusy } from "../session/session.ts";
import type { TurnImpl, TurnLimit, TurnOwner } from "./turn-impl.ts";
import type { SessionHost } from "../session/session-host.ts";
import { Deadline, Deadlines, isTimeoutSet } from "../connection/timeouts.ts";
import { type TurnEvent, nextTurnState } from "./turn-state.ts";

interface TurnListener {
  emit(event: SessionEvent): void;
  /** A turn started or ended, or its readers changed. */
  changed(): void;
  /** A cancel was sent, or a cancelled turn has ended. */
  cancelled(): void;
  /** The agent did not end a cancelled turn. The turn itself has already failed. */
  cancelIgnored(error: Error): void;
}

const CANCELLED: PromptResult = { stopReason: "cancelled", meta: undefined, raw: {} };

/** Runs the turns of one session one at a time, with their state, limits and cancellation. */
export class TurnRunner implements TurnOwner {
  readonly #host: SessionHost;
  readonly #session: { readonly id: string };
  readonly #listener: TurnListener;
  readonly #limits = new Deadlines();
  #running: TurnImpl | undefined;
  #queue: TurnImpl[] = [];
  /** Turns that were sent while another one runs. The agent decides when it starts them. */
  #sentAhead: TurnImpl[] = [];
  #state: TurnState = "idle";
  #idle: Deadline | undefined;
  #grace: Deadline | undefined;
  #questions = 0;
  #servedRequests = 0;
  #over = false;
  #controller = new AbortController();

  constructor(host: SessionHost, session: { readonly id: string }, listener: TurnListener) {
    this.#host = host;
    this.#session = session;
    this.#listener = listener;
  }

  get state(): TurnState {
    return this.#state;
  }

  get running(): TurnImpl | undefined {
    return this.#running;
  }

  get busy(): boolean {
    return this.#running !== undefined;
  }

  /** Stays aborted until the cancelled turn has ended, so that late questions are answered too. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts a turn now, or once the turns before it have ended. With `send`, it is sent at once. */
  add(turn: TurnImpl, signal: AbortSignal | undefined, whenBusy: WhenBusy): void {
    if (signal) this.#cancelOn(signal, turn);
    if (turn.over) return;
    if (!this.#running) return this.#start(turn);
    if (whenBusy !== "send") {
      this.#queue.push(turn);
      return;
    }
    this.#sentAhead.push(turn);
    this.#send(turn);
  }

  receive(item: QueuedItem<Update>): void {
    const turn = this.#running;
    if (!turn) return;
    if (this.#state === "prompting") this.#move("update");
    this.#idle?.touch();
    turn.receive(item);
  }

  touch(): void {
    this.#idle?.touch();
  }

  /** Pauses the idle limit while the agent waits for an answer from this side. */
  serving(active: boolean): void {
    this.#servedRequests += active ? 1 : -1;
    if (active) this.#idle?.pause();
    else this.#idle?.resume();
  }

  async asking<T>(work: () => Promise<T>): Promise<T> {
    if (this.#questions++ === 0) this.#move("ask");
    this.#limits.pause();
    this.#host.pauseCallLimits(true);
    try {
      return await work();
    } finally {
      this.#host.pauseCallLimits(false);
      this.#limits.resume();
      if (--this.#questions === 0) this.#move("answer");
    }
  }

  cancelTurn(turn: TurnImpl, meta?: Meta): void {
    if (turn.over || turn.cancelled) return;
    turn.cancelled = true;
    if (turn === this.#running) return this.#cancelRunning(turn, meta);
    if (this.#sentAhead.includes(turn)) return turn.withdraw();
    this.#queue = this.#queue.filter((other) => other !== turn);
    turn.complete(CANCELLED);
  }

  readingChanged(): void {
    this.#listener.changed();
  }

  /**
   * Cancels every turn, and sends `meta` with the cancel. Without a turn, it cancels open questions, and
   * the work that the agent does by itself.
   */
  async cancelAll(meta?: Meta, worksByItself = false): Promise<void> {
    const running = this.#running;
    // The cancel of the session also withdraws the prompts that the agent has not started.
    for (const turn of this.#sentAhead) turn.cancelled = true;
    const ends = this.#queue.map((turn) => turn.cancel());
    ends.push(...this.#sentAhead.map((turn) => turn.ended));
    if (running) await running.cancel({ meta });
    else if (this.#questions > 0 || worksByItself) this.#cancelWithoutTurn(meta);
    await Promise.all(ends);
  }

  /** Ends the running and the queued turns, because the session has ended. */
  endAll(error: Error): void {
    this.#over = true;
    this.#controller.abort(error);
    this.#failQueue(error);
    if (this.#running) this.#settle(this.#running, error);
  }

  #start(turn: TurnImpl): void {
    this.#begin(turn);
    this.#send(turn);
  }

  #begin(turn: TurnImpl): void {
    this.#running = turn;
    this.#move("prompt");
    this.#listener.emit({ type: "turn_started", text: "" });
    this.#listener.changed();
    const { turnMs } = this.#host.timeouts;
    const { timeoutMs } = turn;
    const limit: TurnLimit =
      timeoutMs === undefined
        ? { kind: "turnMs", ms: turnMs }
        : { kind: "timeoutMs", ms: timeoutMs };
    this.#limits.start(limit.ms, () => this.#expire(turn, limit));
    this.#startIdle(turn);
  }

  #send(turn: TurnImpl): void {
    const params = {
      sessionId: this.#session.id,
      prompt: turn.blocks,
      ...metaField(turn.meta),
    };
    this.#host.prompt(
      params,
      (result) => this.#settle(turn, readPromptResult(result, this.#host.unstable)),
      (error) => this.#settle(turn, toError(error)),
      turn.withdrawal,
    );
  }

  #startIdle(turn: TurnImpl): void {
    const { turnIdleMs } = this.#host.timeouts;
    this.#idle = this.#limits.start(turnIdleMs, () => {
      // Nothing arrives because this side is not reading, so the agent is not idle.
      if (this.#host.flow.held) this.#startIdle(turn);
      else this.#expire(turn, { kind: "turnIdleMs", ms: turnIdleMs });
    });
    for (let n = 0; n < this.#servedRequests; n++) this.#idle?.pause();
  }

  #expire(turn: TurnImpl, limit: TurnLimit): void {
    turn.expired = limit;
    this.cancelTurn(turn);
  }

  #cancelRunning(turn: TurnImpl, meta: Meta | undefined): void {
    this.#limits.stopAll();
    this.#idle = undefined;
    this.#move("cancel");
    for (const other of [turn, ...this.#sentAhead]) other.sessionCancelled = true;
    this.#sendCancel(meta);
    this.#listener.cancelled();
    const ms = this.#host.timeouts.cancelGraceMs;
    // Not one of `#limits`, which pause for open questions: the cancel has just answered those.
    if (isTimeoutSet(ms)) this.#grace = new Deadline(ms, () => this.#cancelIgnored(turn, ms));
    this.#listener.changed();
  }

  #cancelWithoutTurn(meta: Meta | undefined): void {
    this.#sendCancel(meta);
    this.#controller = new AbortController();
  }

  #sendCancel(meta: Meta | undefined): void {
    void this.#host.notify(AGENT_METHODS.cancel, {
      sessionId: this.#session.id,
      ...metaField(meta),
    });
    this.#controller.abort(new Error("the turn was cancelled"));
  }

  #cancelIgnored(turn: TurnImpl, ms: number): void {
    const error = new CancelIgnoredError(ms);
    this.#over = true;
    this.#failQueue(error);
    this.#settle(turn, error);
    this.#listener.cancelIgnored(error);
  }

  #failQueue(error: Error): void {
    const queue = [...this.#sentAhead, ...this.#queue];
    this.#sentAhead = [];
    this.#queue = [];
    for (const turn of queue) turn.fail(error);
  }

  /** Runs in wire order: anything the agent sends from here on is outside the turn. */
  #settle(turn: TurnImpl, outcome: PromptResult | Error): void {
    if (turn !== this.#running) return this.#settleAhead(turn, outcome);
    this.#running = undefined;
    this.#limits.stopAll();
    this.#idle = undefined;
    this.#grace?.stop();
    this.#move("end");
    const final = this.#finalOutcome(turn, outcome);
    // Again, because a tool call may have started after the cancel was sent but before the agent read it.
    if (turn.cancelled) this.#listener.cancelled();
    if (final instanceof Error) turn.fail(final);
    else turn.complete(final);
    this.#listener.emit(
      final instanceof Error
        ? { type: "turn_ended", text: "", stopReason: undefined, error: final }
        : { type: "turn_ended", text: "", stopReason: final.stopReason, error: undefined },
    );
    this.#listener.changed();
    this.#startNext();
  }

  /** The agent answered a turn that was sent ahead before the running one was over. */
  #settleAhead(turn: TurnImpl, outcome: PromptResult | Error): void {
    if (!this.#sentAhead.includes(turn)) return;
    this.#sentAhead = this.#sentAhead.filter((other) => other !== turn);
    const final = this.#finalOutcome(turn, outcome);
    if (final instanceof Error) turn.fail(final);
    else turn.complete(final);
  }

  #startNext(): void {
    if (this.#over) return;
    if (this.#controller.signal.aborted) this.#controller = new AbortController();
    const sent = this.#sentAhead.shift();
    if (sent) return this.#begin(sent);
    const next = this.#queue.shift();
    if (next) this.#start(next);
  }

  #finalOutcome(turn: TurnImpl, outcome: PromptResult | Error): PromptResult | Error {
    if (turn.expired) {
      const { kind, ms } = turn.expired;
      const cause = outcome instanceof CancelIgnoredError ? { cause: outcome } : {};
      return new TimeoutError(kind, ms, AGENT_METHODS.prompt, cause);
    }
    if (turn.cancelled && outcome instanceof CallCancelledError) return CANCELLED;
    if (turn.sessionCancelled && isWithdrawal(outcome)) return CANCELLED;
    if (!turn.cancelled || !(outcome instanceof RemoteError)) return outcome;
    // The protocol requires `cancelled` here, not an error. The turn did end, as requested.
    log(this.#host.logger, "warn", "the agent answered a cancelled turn with an error", {
      code: outcome.rpcCode,
      message: outcome.message,
    });
    return CANCELLED;
  }

  #move(event: TurnEvent): void {
    this.#state = nextTurnState(this.#state, event);
  }

  #cancelOn(signal: AbortSignal, turn: TurnImpl): void {
    if (signal.aborted) return this.cancelTurn(turn);
    const cancel = (): void => this.cancelTurn(turn);
    signal.addEventListener("abort", cancel, { once: true });
    void turn.ended.then(() => signal.removeEventListener("abort", cancel));
  }
}

/** Whether an agent of v2 answered a prompt that was cancelled before it was part of the conversation. */
function isWithdrawal(outcome: PromptResult | Error): boolean {
  return outcome instanceof RemoteError && outcome.rpcCode === ERROR_CODES.requestCancelled;
}
