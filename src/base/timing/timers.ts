/** A timer that can be restarted cheaply: a restart moves the due time and leaves the timer alone. */
export class RestartableTimer {
  readonly #ms: number;
  readonly #expire: () => void;
  #due: number;
  #timer: ReturnType<typeof setTimeout>;

  constructor(ms: number, expire: () => void) {
    this.#ms = ms;
    this.#expire = expire;
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
    const left = this.#due - performance.now();
    if (left < 1) this.#expire();
    else this.#timer = setTimeout(() => this.#check(), left);
  }
}

/** Work took longer than its time limit, and was stopped. */
export class TimeLimitError extends Error {
  override readonly name = "TimeLimitError";
}
