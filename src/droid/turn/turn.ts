import { deferred, quiet, quietIterator, quietly } from "../../base/index.ts";
import { Inbox, type Release } from "../../transport/rpc/index.ts";
import { DroidError } from "../errors.ts";
import type { DroidEvent } from "./events.ts";
import type { DroidFailure, DroidStopReason } from "../protocol/failures.ts";
import type { TokenUsage } from "../protocol/messages.ts";

/** How a turn went. */
export interface DroidTurnResult {
  /** Droid's id for the user message. Up to 0.117 it differs from the id of the turn. */
  readonly messageId: string;
  /** How the turn ended. */
  readonly stopReason: DroidStopReason;
  /** The failure of the model service, as Droid reported it. */
  readonly failure: DroidFailure | undefined;
  /** The tokens of this turn, if Droid reports them (since 0.215). */
  readonly usage: TokenUsage | undefined;
  /** The tokens of the session, as last reported before the turn ended. */
  readonly sessionUsage: TokenUsage | undefined;
  /** The answer to a prompt with an output schema. */
  readonly structuredOutput: unknown;
  /** Differs from the previous one if a plan was handed to a new session. */
  readonly sessionId: string;
}

/**
 * One prompt and everything Droid does about it.
 *
 * Iterate it for its events, or only await `result`. It can be iterated once. Leaving the loop early
 * cancels it. A slow reader slows Droid down instead of filling the memory. A turn that is never
 * iterated still finishes.
 */
export interface DroidTurn extends AsyncIterable<DroidEvent> {
  /** The id of the user message. Droid uses the same id since 0.215. */
  readonly id: string;
  /**
   * Resolves when the turn is over. Rejects with a DroidError, such as DroidExitedError if Droid
   * ends first. A rejection without a listener is not reported as unhandled.
   */
  readonly result: Promise<DroidTurnResult>;
  /** How many events were dropped because nothing read them. */
  readonly dropped: number;
  /** Stops the turn. Resolves when it is over, however it ended; never rejects. */
  cancel(): Promise<void>;
  /**
   * Reads the turn and collects the text of Droid's answer. Rejects as `result` does, or with a
   * DroidError (`updates_lost`) if events were dropped before.
   */
  text(): Promise<string>;
}

/** How many events and bytes are kept for a reader that has not started to iterate. */
const KEPT_UNREAD = 1024;
const KEPT_UNREAD_BYTES = 8 * 1024 * 1024;

/** The reader's side of a turn. The turn tracker decides when it ends. */
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

  /** `hold` pauses reading from the connection; `cancel` requests the cancellation. */
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

  /** Stops pausing the connection: the caller that cancels waits for the end, and may be the reader. */
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

  text(): Promise<string> {
    return quietly(async () => {
      if (this.#dropped > 0) {
        const message = `${this.#dropped} events of the turn were dropped because nothing read them`;
        throw new DroidError("updates_lost", message);
      }
      let text = "";
      for await (const event of this) if (event.type === "text") text += event.text;
      return text;
    });
  }

  [Symbol.asyncIterator](): AsyncIterator<DroidEvent, undefined> {
    this.#iterated = true;
    if (this.#dropped === 0) return this.#inbox;
    return quietIterator(withNotice(this.#inbox, this.#dropped));
  }

  /** Pauses the connection only once the turn is iterated, because it may never be. */
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

/** First reports to a late reader how many events were dropped. */
async function* withNotice(
  inbox: Inbox<DroidEvent>,
  count: number,
): AsyncGenerator<DroidEvent, undefined> {
  try {
    yield { type: "notice", kind: "events_dropped", count };
    yield* inbox;
  } finally {
    // The reader may leave the loop at the notice.
    await inbox.return();
  }
  return undefined;
}

/** A turn that had to complete did not: it failed or was cancelled, or Droid discarded the prompt. */
export class DroidTurnError extends DroidError {
  override readonly name = "DroidTurnError";
  /** How the turn ended, and the failure of the model service. */
  readonly result: DroidTurnResult;

  constructor(result: DroidTurnResult) {
    const { stopReason, failure } = result;
    const why = failure ? `: ${failure.message}` : "";
    super("turn_incomplete", `the turn did not complete, it ended with "${stopReason}"${why}`);
    this.result = result;
  }
}
