/** Waits for a silence: for nothing to have come for so many milliseconds. */
export class Silence {
  readonly #ms: number;
  #timer: NodeJS.Timeout | undefined;
  #over: () => void = () => {};

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Something has come. */
  broken(): void {
    this.#timer?.refresh();
  }

  /** Resolves when nothing has come since now, or since something came. Rejects when aborted. */
  async passed(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const over = (): void => this.#over();
    signal?.addEventListener("abort", over, { once: true });
    await new Promise<void>((resolve) => {
      this.#over = resolve;
      this.#timer = setTimeout(resolve, this.#ms);
    });
    clearTimeout(this.#timer);
    signal?.removeEventListener("abort", over);
    signal?.throwIfAborted();
  }
}
