import { AnswerText, deferred, quiet, quietIterator, unlessAborted } from "../../base/index.ts";
import { Inbox, type Release } from "../../transport/rpc/index.ts";
import { DroidError } from "../errors.ts";
import type { WaitOptions } from "../wait.ts";
import type { DroidEvent } from "./events.ts";
import type { DroidFailure, DroidStopReason } from "../protocol/failures.ts";
import type { TokenUsage } from "../../protocol/acp/index.ts";

/** How a turn went. */
export interface DroidTurnResult {
  /** Droid's id for the user message. Up to 0.117 it differs from the id of the turn. */
  readonly messageId: string;
  /** How the turn ended. */
  readonly stopReason: DroidStopReason;
  /** Droid's messages in this turn, with a blank line between two. Bounded to 8 Mi characters. */
  readonly text: string;
  /** The last message. Those before it often only announce a tool call. */
  readonly finalMessage: string;
  /** The failure of the model service, as Droid reported it. */
  readonly failure: DroidFailure | undefined;
  /** The tokens of this turn, if Droid reports them (since 0.215). */
  readonly usage: TokenUsage | undefined;
  /** The credits of this turn, if Droid reports them (since 0.215). */
  readonly credits: number | undefined;
  /** The tokens of the session, as last reported before the turn ended. */
  readonly sessionUsage: TokenUsage | undefined;
  /** The answer to a prompt with an output schema. */
  readonly structuredOutput: unknown;
  /** Differs from the previous one if a plan was handed to a new session. */
  readonly sessionId: string;
}

/** How a turn ended, without the text that the turn has collected itself. */
export type DroidTurnEnd = Omit<DroidTurnResult, "text" | "finalMessage">;

/**
 * One prompt and everything Droid does about it.
 *
 * Iterate it for its events, call `text()`, or only await `result`. It can be iterated only once.
 * Leaving the loop early cancels it. A slow reader slows Droid down instead of filling the memory. A turn
 * without a reader still runs to its end.
 */
export interface DroidTurn extends AsyncIterable<DroidEvent> {
  /** The id of the user message. Droid uses the same id since 0.215. */
  readonly id: string;
  /**
   * Resolves when the turn is over. Rejects with a DroidError: DroidBusyError (another turn runs),
   * DroidRequestError (Droid rejects the prompt), DroidExitedError (Droid ends first, or the client is
   * closed), or the code `closed`, `unsupported` or `timeout`. The loop throws the same error. A
   * rejection without a listener is not reported as unhandled.
   */
  readonly result: Promise<DroidTurnResult>;
  /** How many events were dropped because nothing read them. */
  readonly dropped: number;
  /**
   * Asks Droid to end the turn. A turn that waits ends at once. Resolves when the turn is over, for
   * any reason, or when the signal is aborted; never rejects.
   */
  cancel(options?: WaitOptions): Promise<void>;
  /** Resolves with the `text` of the result. Rejects as `result` does. */
  text(): Promise<string>;
}

/** How many events and bytes are kept for a reader that has not started to iterate. */
const KEPT_UNREAD = 1024;
const KEPT_UNREAD_BYTES = 8 * 1024 * 1024;

/** The reader's side of a turn. The turn tracker decides when it ends. */
export class TurnStream implements DroidTurn {
  readonly id: string;
  readonly #result = deferred<DroidTurnResult>();
  readonly #ended: Promise<void>;
  readonly #cancel: () => void;
  readonly #inbox: Inbox<DroidEvent>;
  readonly #answer = new AnswerText();
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
    this.#ended = this.#result.promise.then(
      () => {},
      () => {},
    );
  }

  get result(): Promise<DroidTurnResult> {
    return this.#result.promise;
  }

  push(event: DroidEvent, size: number): void {
    this.#collect(event);
    if (!this.#iterated) this.#limitUnread(size);
    this.#inbox.push(event, size);
  }

  /** Stops pausing the connection: the caller that cancels waits for the end, and may be the reader. */
  flow(): void {
    this.#flowing = true;
    this.#release?.();
  }

  end(outcome: DroidTurnEnd): void {
    const { text, finalMessage } = this.#answer;
    this.#result.resolve({ ...outcome, text, finalMessage });
    this.#inbox.end();
  }

  fail(error: Error): void {
    this.#result.reject(error);
    this.#inbox.end(error);
  }

  async cancel({ signal }: WaitOptions = {}): Promise<void> {
    this.#cancel();
    await (signal ? unlessAborted(this.#ended, signal).catch(() => {}) : this.#ended);
  }

  get dropped(): number {
    return this.#dropped;
  }

  text(): Promise<string> {
    return quiet(this.result.then(({ text }) => text));
  }

  [Symbol.asyncIterator](): AsyncIterator<DroidEvent, undefined> {
    if (this.#iterated)
      throw new DroidError(
        "already_read",
        "the turn already has a reader; use droid.updates() for a second one",
      );
    this.#iterated = true;
    if (this.#dropped === 0) return this.#inbox;
    return quietIterator(withNotice(this.#inbox, this.#dropped));
  }

  #collect(event: DroidEvent): void {
    if (event.type === "text") this.#answer.add(event.text, event.messageId);
    else if (event.type === "tool_call") this.#answer.toolCall(event.id);
    else if (event.type === "retracted") this.#answer.retract(event.messageId);
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
