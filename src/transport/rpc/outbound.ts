import type { CloseReason } from "../wire/index.ts";
import { CallCancelledError, ConnectionError } from "./errors.ts";
import type { RequestId } from "./messages.ts";

/** Options of a call to the other side. */
export interface CallOptions {
  /** Cancels the call: asks the other side to cancel, and rejects with CallCancelledError. */
  readonly signal?: AbortSignal | undefined;
}

export interface AcceptingCallOptions<T> extends CallOptions {
  /**
   * Turns the result into the call's value, synchronously and in wire order: before any later
   * frame is delivered. If it throws, the call rejects with that error.
   */
  readonly accept: (result: unknown) => T;
  /** Receives the error just before the call rejects with it, also in wire order. Must not throw. */
  readonly refused?: ((error: unknown) => void) | undefined;
}

export class OutboundCall {
  readonly method: string;
  /** Runs once, when the call settles. */
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
      this.#rejectWith(error);
    }
  }

  fail(error: unknown): void {
    this.onSettled?.();
    this.#rejectWith(error);
  }

  #rejectWith(error: unknown): void {
    this.#refused?.(error);
    this.#reject(error);
  }
}

export class OutboundCalls {
  readonly #waiting = new Map<RequestId, OutboundCall>();

  add(id: RequestId, call: OutboundCall): void {
    this.#waiting.set(id, call);
  }

  /** Removes and returns the waiting call with this id; undefined if there is none. */
  take(id: RequestId): OutboundCall | undefined {
    const key = this.#waiting.has(id) ? id : otherSpelling(id);
    const call = this.#waiting.get(key);
    if (call) this.#waiting.delete(key);
    return call;
  }

  /** Fails the call when the signal is aborted, after `notifyPeer` has notified the other side. */
  cancelOn(signal: AbortSignal, id: RequestId, call: OutboundCall, notifyPeer: () => void): void {
    const cancel = (): void => {
      if (!this.#waiting.delete(id)) return;
      notifyPeer();
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

/** The same id as the other type: some peers answer request 1 with the id "1", or vice versa. */
function otherSpelling(id: RequestId): RequestId {
  if (typeof id === "number") return String(id);
  const number = Number(id);
  return typeof id === "string" && String(number) === id ? number : id;
}
