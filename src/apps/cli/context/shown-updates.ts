import { deferred, immediately, unlessAborted } from "../../../base/index.ts";

/**
 * Follows which updates of a turn are on the screen. Requests from the agent arrive beside the stream of
 * updates, and a reader of that stream may be behind: a question about a change must not appear before
 * the change itself.
 */
export class ShownUpdates {
  #isShowing = false;
  #changed = deferred();

  /** Passes on the updates of a turn. Each is on the screen when the next one is asked for. */
  through<T>(updates: AsyncIterable<T>): AsyncIterable<T> {
    this.#isShowing = true;
    return this.#follow(updates);
  }

  async *#follow<T>(updates: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      this.#wait();
      for await (const update of updates) {
        this.#isShowing = true;
        yield update;
        this.#wait();
      }
    } finally {
      this.#wait();
    }
  }

  /** Notes that the update is on the screen, before the next one is asked for: its reader may be slow. */
  shown(): void {
    this.#wait();
  }

  /** Resolves when every update that has arrived is on the screen, or when the signal is aborted. */
  async caughtUp(signal: AbortSignal): Promise<void> {
    try {
      do {
        // An update that has already arrived is taken before the next task.
        await unlessAborted(new Promise<void>((resolve) => immediately(resolve)), signal);
        if (this.#isShowing) await unlessAborted(this.#changed.promise, signal);
        else return;
      } while (!signal.aborted);
    } catch {
      // The agent does not wait for the answer anymore.
    }
  }

  #wait(): void {
    this.#isShowing = false;
    const { resolve } = this.#changed;
    this.#changed = deferred();
    resolve();
  }
}
