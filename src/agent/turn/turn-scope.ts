import {
  type ClientCapability,
  type Meta,
  metaField,
  reportingMeta,
  type RequestOptions,
  type SessionUpdate,
} from "../../protocol/acp/index.ts";
import { CallCancelledError } from "../../transport/rpc/index.ts";
import { quiet, quietly, unlessAborted } from "../../base/index.ts";
import type { Link } from "../connection/client.ts";
import { type Deliver, type SendOptions, withMeta } from "../session/sender.ts";
import type { SentUpdate } from "../v2/updates.ts";
import { TurnCancelledError, TurnEndedError } from "../errors.ts";

/** The shared core of one turn's helpers: sends updates and requests, and knows when the turn is over. */
export class TurnScope {
  readonly sessionId: string;
  readonly link: Link;
  readonly signal: AbortSignal;
  readonly #deliver: Deliver;
  #over = false;

  constructor(sessionId: string, link: Link, signal: AbortSignal, deliver: Deliver) {
    this.sessionId = sessionId;
    this.link = link;
    this.signal = signal;
    this.#deliver = deliver;
  }

  /** A scope for work that goes on after the turn, until the signal is aborted. */
  lasting(signal: AbortSignal): TurnScope {
    return new TurnScope(this.sessionId, this.link, signal, this.#deliver);
  }

  /** Rejects with {@link TurnEndedError} once the turn is over. */
  stillOpen(): Promise<void> {
    return this.#over ? quiet(Promise.reject(new TurnEndedError())) : Promise.resolve();
  }

  /** Ends the turn. Nothing can be sent after this. */
  end(): void {
    this.#over = true;
  }

  /** Sends an update, even after a cancel, because open tool calls still have to be settled. */
  send(update: SentUpdate, notificationMeta?: Meta): Promise<void> {
    if (this.#over) return quiet(Promise.reject(new TurnEndedError()));
    return this.#deliver(update, notificationMeta);
  }

  /** Sends a part of the answer. Rejects after a cancel, so that a streaming loop ends by itself. */
  stream(update: SessionUpdate, options: SendOptions = {}): Promise<void> {
    if (this.signal.aborted) return quiet(Promise.reject(new TurnCancelledError()));
    return this.send(withMeta(update, options), options.notificationMeta);
  }

  /**
   * Sends a request to the client. Rejects with {@link TurnCancelledError} once the turn is cancelled,
   * and with CallCancelledError if only the signal of the options is aborted.
   */
  ask<T>(
    method: string,
    params: object,
    accept: (result: unknown) => T,
    needed?: ClientCapability,
    { signal, meta, onMeta }: RequestOptions = {},
  ): Promise<T> {
    return quietly(async () => {
      this.assertCanAsk(needed);
      try {
        const inSession = { sessionId: this.sessionId, ...params, ...metaField(meta) };
        const both = signal ? AbortSignal.any([this.signal, signal]) : this.signal;
        return await this.link.ask(method, inSession, reportingMeta(accept, onMeta), both);
      } catch (error) {
        if (!(error instanceof CallCancelledError) || !this.signal.aborted) throw error;
        throw new TurnCancelledError({ cause: error });
      }
    });
  }

  /** Throws if the turn is over or cancelled, or if the client lacks a needed capability. */
  assertCanAsk(needed?: ClientCapability): void {
    if (this.#over) throw new TurnEndedError();
    if (this.signal.aborted) throw new TurnCancelledError();
    if (needed !== undefined) this.link.require(needed);
  }

  /** Rejects when the turn is cancelled. The work continues, and the caller has to clean up after it. */
  unlessCancelled<T>(work: Promise<T>): Promise<T> {
    return unlessAborted(work, this.signal, () => new TurnCancelledError());
  }
}
