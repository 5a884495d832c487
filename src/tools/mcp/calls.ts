import { callSafely, deferred, within } from "../../wire/index.ts";

/**
 * Last resort: an agent may wait for its tools before it ends a cancelled turn, so the result of an
 * aborted call is not held back longer than this.
 */
const MAX_HOLD_MS = 1000;

/** One running call. */
class RunningCall {
  readonly controller = new AbortController();
  /** The result is held back until this settles. */
  until: Promise<unknown> = Promise.resolve();
}

/** The calls of tools that run for one session. */
export class ToolCalls {
  readonly #limit: number;
  readonly #onActive: (active: boolean) => void;
  readonly #running = new Set<RunningCall>();

  /** `onActive` is called with true when a call starts, and with false when it ends. */
  constructor(limit: number, onActive: (active: boolean) => void) {
    this.#limit = limit;
    this.#onActive = onActive;
  }

  /** Whether another call has to be refused. */
  get isFull(): boolean {
    return this.#running.size >= this.#limit;
  }

  /** Runs a call. Its signal is aborted with `signal`, and by {@link ToolCalls.cancel}. */
  async run<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const call = new RunningCall();
    this.#running.add(call);
    callSafely(() => this.#onActive(true));
    try {
      const result = await work(AbortSignal.any([signal, call.controller.signal]));
      if (call.controller.signal.aborted) await heldBack(call.until, signal);
      return result;
    } finally {
      this.#running.delete(call);
      callSafely(() => this.#onActive(false));
    }
  }

  /** Aborts every running call, and holds its result back until `until` settles. */
  cancel(reason: Error, until: Promise<unknown> = Promise.resolve()): void {
    for (const call of this.#running) {
      if (call.controller.signal.aborted) continue;
      call.until = until;
      call.controller.abort(reason);
    }
  }
}

/** Waits for `until`, but not after the request itself is aborted. */
async function heldBack(until: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const over = deferred();
  const resolve = (): void => over.resolve();
  if (signal.aborted) return;
  signal.addEventListener("abort", resolve, { once: true });
  until.then(resolve, resolve);
  await within(over.promise, MAX_HOLD_MS);
  signal.removeEventListener("abort", resolve);
}
