import type { Release } from "../../rpc/index.ts";

/**
 * How a session stands to the connection: a reader of it is behind, it waits for something the agent
 * has yet to send, or neither.
 */
export type ReadPressure = "quiet" | "waiting" | "behind";

/**
 * Decides when reading from the agent is held.
 *
 * One connection carries all sessions, so whoever holds it holds all of them. A reader that is behind
 * may do so only while nobody waits: no call is open, and no other session has a turn running that
 * keeps up. Otherwise a loop over one session that waits for another would wait for ever.
 */
export class Flow {
  readonly #hold: () => Release;
  readonly #released: () => void;
  #release: Release | undefined;
  #behind = 0;
  #waiting = 0;

  /** `released` is told when reading goes on after a hold. */
  constructor(hold: () => Release, released: () => void = () => {}) {
    this.#hold = hold;
    this.#released = released;
  }

  get held(): boolean {
    return this.#release !== undefined;
  }

  /** A call waits for its answer. */
  enter(): void {
    this.#waiting++;
    this.#settle();
  }

  /** It has got it. */
  leave(): void {
    this.#waiting--;
    this.#settle();
  }

  /** A session's stand has changed. */
  move(from: ReadPressure, to: ReadPressure): void {
    if (from === to) return;
    this.#count(from, -1);
    this.#count(to, 1);
    this.#settle();
  }

  #count(stand: ReadPressure, by: 1 | -1): void {
    if (stand === "behind") this.#behind += by;
    else if (stand === "waiting") this.#waiting += by;
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
