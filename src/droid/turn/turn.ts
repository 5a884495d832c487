import { deferred, quiet } from "../../wire/index.ts";
import { Inbox, type Release } from "../../rpc/index.ts";
import { DroidError } from "../errors.ts";
import type { DroidEvent } from "./events.ts";
import type { DroidFailure, DroidStopReason } from "../protocol/failures.ts";
import type { TokenUsage } from "../protocol/protocol.ts";

/** How a turn went. */
export interface DroidTurnResult {
  /** The id Droid knows the user's message by; up to 0.117 it is not the turn's. */
  readonly messageId: string;
  readonly stopReason: DroidStopReason;
  /** What Droid said of a failure of the model service. */
  readonly failure: DroidFailure | undefined;
  /** The tokens of this turn, where Droid tells them (from 0.215 on). */
  readonly usage: TokenUsage | undefined;
  /** The tokens of the session, as far as they were known when the turn ended. */
  readonly sessionUsage: TokenUsage | undefined;
  /** What a prompt with an output schema got. */
  readonly structuredOutput: unknown;
  /** Another than before, if a plan was handed to a new session. */
  readonly sessionId: string;
}

/**
 * One prompt and everything Droid does about it.
 *
 * Iterate it for its events, or only await `result`. It is iterated once; leaving the loop early
 * cancels it. A slow reader slows Droid down instead of filling the memory. A turn that is never
 * iterated still finishes.
 */
export interface DroidTurn extends AsyncIterable<DroidEvent> {
  /** The id of the user's message; Droid takes it over from 0.215 on. */
  readonly id: string;
  /** Resolves when the turn is over; rejects with DroidExitedError when Droid is gone first. */
  readonly result: Promise<DroidTurnResult>;
  /** How many events were dropped because nothing read them. */
  readonly dropped: number;
  /** Stops the turn. Resolves when it is over, whichever way, and never rejects. */
  cancel(): Promise<void>;
  /**
   * Reads the turn and collects the text of Droid's answer. Rejects as `result` does, or with a
   * DroidError (`updates_lost`) if events were dropped before.
   */
  text(): Promise<string>;
}

/** What is kept for a reader who has not begun to iterate: so many events, so many bytes. */
const KEPT_UNREAD = 1024;
const KEPT_UNREAD_BYTES = 8 * 1024 * 1024;

/** The reading end of a turn. What decides about its end stands elsewhere. */
export class TurnStream implements DroidTurn {
  readonly id: string;
  readonly #result = deferred<DroidTurnResult>();
  readonly #cancel: () => void;
  readonly #inbox: Inbox<DroidEvent>;
  #iterated = false;
  #flowing = false;
  #dropped = 0;
  #unreadBytes = 0;
  #release: Release | undefined;

  /** `hold` holds the reading of the connection; `cancel` starts the cancelling. */
  constructor(id: string, hold: () => Release, cancel: () => void) {
    this.id = id;
    this.#cancel = cancel;
    this.#inbox = new Inbox<DroidEvent>(() => this.#hold(hold), {}, cancel);
    void quiet(this.#result.promise);
  }

  get result(): Promise<DroidTurnResult> {
    return this.#result.promise;
  }

  push(event: DroidEvent, size: number): void {
    if (!this.#iterated) this.#limitUnread(size);
    this.#inbox.push(event, size);
  }

  /** From here on nothing is held: whoever cancels waits for the end, and may be the reader. */
  flow(): void {
    this.#flowing = true;
    this.#release?.();
  }

  end(result: DroidTurnResult): void {
    this.#result.resolve(result);
    this.#inbox.end();
  }

  fail(error: Error): void {
    this.#result.reject(error);
    this.#inbox.end(error);
  }

  async cancel(): Promise<void> {
    this.#cancel();
    await this.result.catch(() => {});
  }

  get dropped(): number {
    return this.#dropped;
  }

  async text(): Promise<string> {
    if (this.#dropped > 0) {
      const what = `${this.#dropped} events of the turn were dropped because nothing read them`;
      throw new DroidError("updates_lost", what);
    }
    let text = "";
    for await (const event of this) if (event.type === "text") text += event.text;
    return text;
  }

  [Symbol.asyncIterator](): AsyncIterator<DroidEvent, undefined> {
    this.#iterated = true;
    if (this.#dropped === 0) return this.#inbox;
    return withNotice(this.#inbox, this.#dropped);
  }

  /** Until somebody iterates, nothing may be held: perhaps nobody ever will. */
  #hold(hold: () => Release): Release {
    if (!this.#iterated || this.#flowing) return () => {};
    const release = hold();
    this.#release = release;
    return release;
  }

  #limitUnread(size: number): void {
    this.#unreadBytes += size;
    if (this.#inbox.length < KEPT_UNREAD && this.#unreadBytes < KEPT_UNREAD_BYTES) return;
    this.#dropped += this.#inbox.length;
    this.#unreadBytes = size;
    this.#inbox.clear();
  }
}

/** Tells a reader who came late how many events were dropped, before anything else. */
async function* withNotice(
  inbox: Inbox<DroidEvent>,
  count: number,
): AsyncGenerator<DroidEvent, undefined> {
  try {
    yield { type: "notice", kind: "events_dropped", count };
    yield* inbox;
  } finally {
    // A reader may leave at the notice already.
    await inbox.return();
  }
  return undefined;
}
