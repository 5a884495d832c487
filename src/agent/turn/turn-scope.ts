import type { ClientCapability, SessionUpdate } from "../../acp/index.ts";
import { CallCancelledError } from "../../rpc/index.ts";
import { quiet, unlessAborted } from "../../wire/index.ts";
import type { Link } from "../connection/client-link.ts";
import { TurnCancelledError, TurnEndedError } from "../errors.ts";

/** What the helpers of one turn share: where to send, whom to ask, and whether it is still time to. */
export class TurnScope {
  readonly sessionId: string;
  readonly link: Link;
  readonly signal: AbortSignal;
  readonly #deliver: (update: SessionUpdate) => Promise<void>;
  #over = false;

  constructor(
    sessionId: string,
    link: Link,
    signal: AbortSignal,
    deliver: (update: SessionUpdate) => Promise<void>,
  ) {
    this.sessionId = sessionId;
    this.link = link;
    this.signal = signal;
    this.#deliver = deliver;
  }

  /** Nothing goes out after this. */
  end(): void {
    this.#over = true;
  }

  /** Sends an update, also after a cancel: a tool call that was given up still has to be settled. */
  send(update: SessionUpdate): Promise<void> {
    if (this.#over) return quiet(Promise.reject(new TurnEndedError()));
    return this.#deliver(update);
  }

  /**
   * Sends a part of the answer. After a cancel it rejects, so that a loop which streams an answer
   * ends by itself.
   */
  stream(update: SessionUpdate): Promise<void> {
    if (this.signal.aborted) return quiet(Promise.reject(new TurnCancelledError()));
    return this.send(update);
  }

  /** Asks the client. Rejects with {@link TurnCancelledError} as soon as the turn is cancelled. */
  async ask<T>(
    method: string,
    params: object,
    accept: (result: unknown) => T,
    needed?: ClientCapability,
  ): Promise<T> {
    this.open(needed);
    try {
      const inSession = { sessionId: this.sessionId, ...params };
      return await this.link.ask(method, inSession, accept, this.signal);
    } catch (error) {
      if (error instanceof CallCancelledError) throw new TurnCancelledError({ cause: error });
      throw error;
    }
  }

  /** Throws when it is too late to ask, or the client does not offer what is asked for. */
  open(needed?: ClientCapability): void {
    if (this.#over) throw new TurnEndedError();
    if (this.signal.aborted) throw new TurnCancelledError();
    if (needed !== undefined) this.link.require(needed);
  }

  /** Rejects when the turn is cancelled. The work goes on, and someone else has to clean up after it. */
  unlessCancelled<T>(work: Promise<T>): Promise<T> {
    return unlessAborted(work, this.signal, () => new TurnCancelledError());
  }
}
