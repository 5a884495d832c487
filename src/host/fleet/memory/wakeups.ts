import { deferred, type Deferred } from "../../../base/index.ts";

/** Wakes those who wait for a change under a name. */
export class Wakeups {
  readonly #waiting = new Map<string, Set<Deferred<void>>>();

  /** Resolves with the next change, or when the signal is aborted. */
  async next(name: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const waiter = deferred();
    const waiters = this.#waiting.get(name) ?? new Set();
    this.#waiting.set(name, waiters);
    waiters.add(waiter);
    const wake = (): void => waiter.resolve();
    signal.addEventListener("abort", wake, { once: true });
    await waiter.promise;
    signal.removeEventListener("abort", wake);
    waiters.delete(waiter);
    if (waiters.size === 0 && this.#waiting.get(name) === waiters) this.#waiting.delete(name);
  }

  emit(name: string): void {
    for (const waiter of this.#waiting.get(name) ?? []) waiter.resolve();
  }
}
