import { RestartableTimer } from "../../base/index.ts";

/** Waits until nothing has arrived for a number of milliseconds. */
export class Silence {
  readonly #ms: number;
  #timer: RestartableTimer | undefined;
  #finish: () => void = () => {};

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Restarts the wait, because something arrived. */
  restart(): void {
    this.#timer?.restart();
  }

  /** Resolves after a full silence, counted from this call or the last restart. Rejects when aborted. */
  async elapsed(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const finish = (): void => this.#finish();
    signal?.addEventListener("abort", finish, { once: true });
    await new Promise<void>((resolve) => {
      this.#finish = resolve;
      this.#timer = new RestartableTimer(this.#ms, resolve);
    });
    this.#timer?.stop();
    signal?.removeEventListener("abort", finish);
    signal?.throwIfAborted();
  }
}
