import { AGENT_METHODS, readPromptResult, type Update } from "../../acp/index.ts";
import { RemoteError } from "../../rpc/index.ts";
import { log, type QueuedItem, toError } from "../../wire/index.ts";
import { CancelIgnoredError, TimeoutError } from "../errors.ts";
import type { SessionEvent } from "../session/events.ts";
import type { TurnImpl, TurnOwner } from "./turn-impl.ts";
import type { SessionHost } from "../session/session-host.ts";
import { Deadline, Deadlines, isLimit } from "../connection/timeouts.ts";
import { nextTurnState, type TurnEvent, type TurnState } from "./turn-state.ts";
import type { TurnResult } from "./turn.ts";

/** What the session does when its turns move. */
export interface TurnListener {
  emit(event: SessionEvent): void;
  /** A turn began or ended, or is read in another way. */
  moved(): void;
  /** A cancel goes out. */
  cancelled(): void;
  /** The agent did not end a cancelled turn; the turn itself has failed already. */
  abandoned(error: Error): void;
}

const CANCELLED: TurnResult = { stopReason: "cancelled", raw: {} };

/** The turns of one session, one at a time: their state, their limits, and their cancellation. */
export class TurnRunner implements TurnOwner {
  readonly #host: SessionHost;
  readonly #session: { readonly id: string };
  readonly #listener: TurnListener;
  readonly #limits = new Deadlines();
  #running: TurnImpl | undefined;
  #queue: TurnImpl[] = [];
  #state: TurnState = "idle";
  #idle: Deadline | undefined;
  #grace: Deadline | undefined;
  #questions = 0;
  #served = 0;
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

  /** Stays aborted until the cancelled turn is over, so that late questions are answered as well. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts a turn, now or when those before it are over. */
  add(turn: TurnImpl, signal: AbortSignal | undefined): void {
    if (signal) this.#cancelOn(signal, turn);
    if (turn.over) return;
    if (this.#running) this.#queue.push(turn);
    else this.#start(turn);
  }

  receive(entry: QueuedItem<Update>): void {
    const turn = this.#running;
    if (!turn) return;
    if (this.#state === "prompting") this.#move("update");
    this.#idle?.touch();
    turn.reader.push(entry);
  }

  touch(): void {
    this.#idle?.touch();
  }

  /** While the agent waits for an answer of ours, its silence is not its own. */
  serving(begins: boolean): void {
    this.#served += begins ? 1 : -1;
    if (begins) this.#idle?.pause();
    else this.#idle?.resume();
  }

  async asking<T>(work: () => Promise<T>): Promise<T> {
    if (this.#questions++ === 0) this.#move("ask");
    this.#limits.pause();
    this.#host.asking(true);
    try {
      return await work();
    } finally {
      this.#host.asking(false);
      this.#limits.resume();
      if (--this.#questions === 0) this.#move("answer");
    }
  }

  cancelTurn(turn: TurnImpl): void {
    if (turn.over || turn.cancelled) return;
    turn.cancelled = true;
    if (turn === this.#running) return this.#cancelRunning(turn);
    this.#queue = this.#queue.filter((other) => other !== turn);
    turn.complete(CANCELLED);
  }

  turnMoved(): void {
    this.#listener.moved();
  }

  async cancelAll(): Promise<void> {
    const running = this.#running;
    const ends = this.#queue.map((turn) => turn.cancel());
    if (running) await running.cancel();
    else if (this.#questions > 0) this.#cancelQuestions();
    await Promise.all(ends);
  }

  /** The session is over, and with it whatever runs or waits. */
  endAll(error: Error): void {
    this.#over = true;
    this.#controller.abort(error);
    this.#failQueue(error);
    if (this.#running) this.#settle(this.#running, error);
  }

  #start(turn: TurnImpl): void {
    this.#running = turn;
    this.#move("prompt");
    this.#listener.emit({ type: "turn_started", text: "" });
    this.#listener.moved();
    const { turn: whole } = this.#host.timeouts;
    this.#limits.start(whole, () => this.#runOut(turn, "turn", whole));
    this.#startIdle(turn);
    const params = {
      sessionId: this.#session.id,
      prompt: turn.blocks,
      ...(turn.meta === undefined ? {} : { _meta: turn.meta }),
    };
    this.#host.prompt(
      params,
      (result) => this.#settle(turn, readPromptResult(result)),
      (error) => this.#settle(turn, toError(error)),
    );
  }

  #startIdle(turn: TurnImpl): void {
    const { turnIdle } = this.#host.timeouts;
    this.#idle = this.#limits.start(turnIdle, () => {
      // Nothing comes because nothing is read: that silence is ours.
      if (this.#host.flow.held) this.#startIdle(turn);
      else this.#runOut(turn, "turnIdle", turnIdle);
    });
    for (let n = 0; n < this.#served; n++) this.#idle?.pause();
  }

  #runOut(turn: TurnImpl, limit: "turn" | "turnIdle", ms: number): void {
    turn.failure = new TimeoutError(limit, ms, AGENT_METHODS.prompt);
    this.cancelTurn(turn);
  }

  #cancelRunning(turn: TurnImpl): void {
    this.#limits.stopAll();
    this.#idle = undefined;
    this.#move("cancel");
    this.#sendCancel();
    this.#listener.cancelled();
    const ms = this.#host.timeouts.cancelGrace;
    // Not one of the limits that stand still for questions: those have just been answered.
    if (isLimit(ms)) this.#grace = new Deadline(ms, () => this.#ignored(turn, ms));
    this.#listener.moved();
  }

  #cancelQuestions(): void {
    this.#sendCancel();
    this.#controller = new AbortController();
  }

  #sendCancel(): void {
    this.#host.notify(AGENT_METHODS.cancel, { sessionId: this.#session.id });
    this.#controller.abort(new Error("the turn was cancelled"));
  }

  #ignored(turn: TurnImpl, ms: number): void {
    const error = new CancelIgnoredError(ms, { cause: turn.failure });
    this.#over = true;
    this.#failQueue(error);
    this.#settle(turn, error);
    this.#listener.abandoned(error);
  }

  #failQueue(error: Error): void {
    const queue = this.#queue;
    this.#queue = [];
    for (const turn of queue) turn.fail(error);
  }

  /** Runs in wire order: what the agent sends from here on is outside the turn. */
  #settle(turn: TurnImpl, outcome: TurnResult | Error): void {
    if (turn !== this.#running) return;
    this.#running = undefined;
    this.#limits.stopAll();
    this.#idle = undefined;
    this.#grace?.stop();
    this.#move("end");
    const final = this.#judge(turn, outcome);
    // Again: a call may have been announced after the cancel and before the agent read it.
    if (turn.cancelled) this.#listener.cancelled();
    if (final instanceof Error) turn.fail(final);
    else turn.complete(final);
    this.#listener.emit(
      final instanceof Error
        ? { type: "turn_ended", text: "", stopReason: undefined, error: final }
        : { type: "turn_ended", text: "", stopReason: final.stopReason, error: undefined },
    );
    this.#listener.moved();
    this.#startNext();
  }

  #startNext(): void {
    if (this.#over) return;
    if (this.#controller.signal.aborted) this.#controller = new AbortController();
    const next = this.#queue.shift();
    if (next) this.#start(next);
  }

  #judge(turn: TurnImpl, outcome: TurnResult | Error): TurnResult | Error {
    if (turn.failure && !(outcome instanceof CancelIgnoredError)) return turn.failure;
    if (!turn.cancelled || !(outcome instanceof RemoteError)) return outcome;
    // The protocol wants `cancelled` here and never an error; what was asked for has happened.
    log(this.#host.logger, "warn", "the agent answered a cancelled turn with an error", {
      code: outcome.code,
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
