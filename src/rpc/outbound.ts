import type { CloseReason } from "../wire/index.ts";
import { CallCancelledError, ConnectionError } from "./errors.ts";
import { otherSpelling, type RequestId } from "./messages.ts";

export interface CallOptions {
  /** Gives the call up: the other side is asked to cancel, and the call rejects with CallCancelledError. */
  readonly signal?: AbortSignal | undefined;
}

export interface AcceptingCallOptions<T> extends CallOptions {
  /**
   * Turns the result into the call's value, synchronously and in wire order: before any later
   * frame is handed over. What it throws rejects the call.
   */
  readonly accept: (result: unknown) => T;
  /** Told of the error the call is about to reject with, in wire order as well. It must not throw. */
  readonly refused?: (error: unknown) => void;
}

/** A call that waits for its answer. */
export class OutboundCall {
  readonly method: string;
  /** Runs once, when the call is settled in whatever way. */
  onSettled: (() => void) | undefined;
  readonly #accept: ((result: unknown) => unknown) | undefined;
  readonly #refused: ((error: unknown) => void) | undefined;
  readonly #resolve: (value: unknown) => void;
  readonly #reject: (error: unknown) => void;

  constructor(
    method: string,
    { accept, refused }: Partial<AcceptingCallOptions<unknown>>,
    resolve: (value: unknown) => void,
    reject: (error: unknown) => void,
  ) {
    this.method = method;
    this.#accept = accept;
    this.#refused = refused;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  settle(result: unknown): void {
    this.onSettled?.();
    const accept = this.#accept;
    if (!accept) return this.#resolve(result);
    try {
      this.#resolve(accept(result));
    } catch (error) {
      this.#refuse(error);
    }
  }

  fail(error: unknown): void {
    this.onSettled?.();
    this.#refuse(error);
  }

  #refuse(error: unknown): void {
    this.#refused?.(error);
    this.#reject(error);
  }
}

/** The calls of this side that wait for their answers. */
export class OutboundCalls {
  readonly #waiting = new Map<RequestId, OutboundCall>();

  add(id: RequestId, call: OutboundCall): void {
    this.#waiting.set(id, call);
  }

  /** Hands over the call of that id, which waits no longer; undefined if none does. */
  take(id: RequestId): OutboundCall | undefined {
    const key = this.#waiting.has(id) ? id : otherSpelling(id);
    const call = this.#waiting.get(key);
    if (call) this.#waiting.delete(key);
    return call;
  }

  /** Fails the call when the signal is aborted, after `tell` has told the other side. */
  cancelOn(signal: AbortSignal, id: RequestId, call: OutboundCall, tell: () => void): void {
    const cancel = (): void => {
      if (!this.#waiting.delete(id)) return;
      tell();
      call.fail(new CallCancelledError(call.method, signal.reason));
    };
    signal.addEventListener("abort", cancel, { once: true });
    call.onSettled = () => signal.removeEventListener("abort", cancel);
  }

  failAll(reason: CloseReason): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const call of waiting) call.fail(new ConnectionError(reason, call.method));
  }
}
