import type { HubLimits } from "../options.ts";

/** Decides when an agent that failed may be started again. */
export class Restarts {
  readonly #limits: HubLimits;
  readonly #now: () => number;
  /** When the agent failed, oldest first. */
  #failures: number[] = [];

  constructor(limits: HubLimits, now: () => number = Date.now) {
    this.#limits = limits;
    this.#now = now;
  }

  failed(): void {
    this.#failures.push(this.#now());
  }

  /** The time until the agent may be started, in milliseconds; undefined if it is given up for now. */
  get wait(): number | undefined {
    const { failureWindowMs, maxFailures, backoffMs, maxBackoffMs } = this.#limits;
    const now = this.#now();
    this.#failures = this.#failures.filter((at) => now - at < failureWindowMs);
    const count = this.#failures.length;
    if (count === 0) return 0;
    if (count >= maxFailures) return undefined;
    const pause = Math.min(backoffMs * 2 ** (count - 1), maxBackoffMs);
    return Math.max(0, (this.#failures.at(-1) ?? now) + pause - now);
  }
}
