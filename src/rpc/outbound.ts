import type { CloseReason } from "../wire/channel.ts";
import { CallCancelledError, ConnectionError } from "./errors.ts";
import { otherSpelling, type RequestId } from "./messages.ts";

/** A call that waits for its answer. */
export class OutboundCall {
  readonly method: string;
  /** Runs once, when the call is settled in whatever way. */
  onSettled: (() => void) | undefined;
  readonly #accept: ((result: unknown) => unknown) | undefined;
  readonly #resolve: (value: unknown) => void;
  readonly #reject: (error: unknown) => void;

  constructor(
    method: string,
    accept: ((result: unknown) => unknown) | undefined,
    resolve: (value: unknown) => void,
    reject: (error: unknown) => void,
  ) {
    this.method = method;
    this.#accept = accept;
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
      this.#reject(error);
    }
  }

  fail(error: unknown): void {
    this.onSettled?.();
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
