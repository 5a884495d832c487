import type { Release } from "../../transport/rpc/index.ts";

/**
 * The demand of a session on its connection: `behind` if one of its readers is behind, `waiting` if it
 * waits for the agent to send something, `quiet` if neither.
 */
export type ReadPressure = "quiet" | "waiting" | "behind";

/**
 * Decides when to hold, that is, pause, reading from the agent.
 *
 * One connection carries all sessions, so a hold stops all of them. A reader that is behind may hold it
 * only while nothing else waits: no call is open, and no other session has a running turn whose readers
 * keep up. Otherwise a loop over one session that waits for another would wait forever.
 */
export class Flow {
  readonly #hold: () => Release;
  readonly #released: () => void;
  #release: Release | undefined;
  #behind = 0;
  #waiting = 0;

  /** `released` is called when reading resumes after a hold. */
  constructor(hold: () => Release, released: () => void = () => {}) {
    this.#hold = hold;
    this.#released = released;
  }

  get held(): boolean {
    return this.#release !== undefined;
  }

  /** A call starts to wait for its answer. */
  enter(): void {
    this.#waiting++;
    this.#settle();
  }

  /** A call has its answer. */
  leave(): void {
    this.#waiting--;
    this.#settle();
  }

  /** A session's pressure has changed. */
  move(from: ReadPressure, to: ReadPressure): void {
    if (from === to) return;
    this.#count(from, -1);
    this.#count(to, 1);
    this.#settle();
  }

  #count(pressure: ReadPressure, by: 1 | -1): void {
    if (pressure === "behind") this.#behind += by;
    else if (pressure === "waiting") this.#waiting += by;
  }

  #settle(): void {
    const hold = this.#behind > 0 && this.#waiting === 0;
    if (hold === this.held) return;
    if (hold) {
      this.#release = this.#hold();
      return;
    }
    const release = this.#release;
    this.#release = undefined;
    release?.();
    this.#released();
  }
}
