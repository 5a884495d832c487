/** A clock that stands still while a person is being asked: a tool's time is not theirs. */
export class WorkClock {
  readonly #now: () => number;
  #asked = 0;
  #questions = 0;
  #since = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Milliseconds; only differences mean anything. */
  readonly now = (): number => (this.#questions > 0 ? this.#since : this.#now()) - this.#asked;

  /** Runs what asks somebody. */
  async asking<T>(work: () => Promise<T>): Promise<T> {
    if (this.#questions++ === 0) this.#since = this.#now();
    try {
      return await work();
    } finally {
      if (--this.#questions === 0) this.#asked += this.#now() - this.#since;
    }
  }
}
