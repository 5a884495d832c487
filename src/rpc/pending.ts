/** A call that waits for its answer. */
export class PendingCall {
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
