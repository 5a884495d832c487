import { DragomanError } from "./dragoman-error.ts";
import { toError } from "./errors.ts";

/** A promise together with the functions that settle it. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

export function deferred<T = void>(): Deferred<T> {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

/**
 * Waits for work, but no longer than `ms`. Resolves with true if the work was done in time and with
 * false if it was not; the work itself continues. Rejects if the work rejects in time.
 */
export async function within(work: Promise<unknown>, ms: number): Promise<boolean> {
  const late = deferred<boolean>();
  const timer = setTimeout(() => late.resolve(false), ms);
  try {
    return await Promise.race([work.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Waits for work. If the signal is aborted first, rejects with the error that `reason` returns
 * (default: the signal's own reason); the work itself continues.
 */
export async function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  reason: () => Error = () => toError(signal.reason),
): Promise<T> {
  if (signal.aborted) {
    void quiet(work);
    throw reason();
  }
  const aborted = deferred<never>();
  const abort = (): void => aborted.reject(reason());
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** Waits, but not after the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done, { once: true });
  });
}

/** Marks a promise as handled, so that a rejection without a listener is not reported as unhandled. */
export function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/**
 * Starts work whose promise goes to a user. It may reject without a listener: code such as
 * `return turn.text()` in a block with `await using` listens only after the block has been left.
 */
export function quietly<T>(work: () => Promise<T>): Promise<T> {
  return quiet(work());
}

/** An iterator whose promises may reject without a listener. */
export function quietIterator<T>(
  iterator: AsyncGenerator<T, undefined>,
): AsyncIterableIterator<T, undefined> {
  return {
    next: () => quiet(iterator.next()),
    return: () => quiet(iterator.return(undefined)),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Calls user code and ignores its failure, whether it throws now or rejects later. */
export function callSafely(work: () => unknown): void {
  try {
    const result = work();
    if (isThenable(result)) result.then(undefined, () => {});
  } catch {
    // The code that failed is the only one that could act on the error.
  }
}

/** Whether a value is a promise, including one from another realm or library. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    "then" in value &&
    typeof value.then === "function"
  );
}

/** A timer that can be restarted cheaply: a restart moves the due time and leaves the timer alone. */
export class RestartableTimer {
  readonly #ms: number;
  readonly #expire: () => void;
  readonly #isBusy: () => boolean;
  #due: number;
  #timer: ReturnType<typeof setTimeout>;

  /** Starts the timer. While `isBusy` returns true, it starts over instead of expiring. */
  constructor(ms: number, expire: () => void, isBusy: () => boolean = () => false) {
    this.#ms = ms;
    this.#expire = expire;
    this.#isBusy = isBusy;
    this.#due = performance.now() + ms;
    this.#timer = setTimeout(() => this.#check(), ms);
  }

  restart(): void {
    this.#due = performance.now() + this.#ms;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #check(): void {
    let left = this.#due - performance.now();
    if (left < 1) {
      if (!this.#isBusy()) return this.#expire();
      this.restart();
      left = this.#ms;
    }
    this.#timer = setTimeout(() => this.#check(), left);
  }
}

/** Work took longer than its time limit, and was stopped. */
export class TimeLimitError extends DragomanError {
  override readonly name = "TimeLimitError";

  constructor(message: string, options?: ErrorOptions) {
    super("timeout", message, options);
  }
}
