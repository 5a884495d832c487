/** A clock that stops while the user is asked, so that a tool's duration excludes the user's time. */
export class WorkClock {
  readonly #now: () => number;
  #askedMs = 0;
  #openQuestions = 0;
  #stoppedAt = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Milliseconds since an arbitrary start; only differences are meaningful. */
  readonly now = (): number =>
    (this.#openQuestions > 0 ? this.#stoppedAt : this.#now()) - this.#askedMs;

  /** Runs `work`, which asks the user, with the clock stopped. */
  async asking<T>(work: () => Promise<T>): Promise<T> {
    if (this.#openQuestions++ === 0) this.#stoppedAt = this.#now();
    try {
      return await work();
    } finally {
      if (--this.#openQuestions === 0) this.#askedMs += this.#now() - this.#stoppedAt;
    }
  }
}
