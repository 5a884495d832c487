import type { Release } from "./inbox.ts";

/** Sends that share one promise, because they wait for the same full pipe to drain. */
interface PendingSends {
  readonly sent: Promise<void>;
  chars: number;
}

/**
 * Counts how much of what was sent is still unread by the other side. Above its limit it holds reading,
 * so that a side which sends requests but reads no answers cannot fill the memory of this one.
 */
export class Backlog {
  readonly #hold: () => Release;
  readonly #limit: number;
  #chars = 0;
  #release: Release | undefined;
  #pending: PendingSends | undefined;
  /** A promise known to be settled. A pipe with room returns the same one for every send. */
  #settled: Promise<void> | undefined;

  constructor(hold: () => Release, limit: number) {
    this.#hold = hold;
    this.#limit = limit;
  }

  /** How many characters were sent and are not yet read. */
  get chars(): number {
    return this.#chars;
  }

  /** Counts a message until its send has settled. */
  add(sent: Promise<void>, chars: number): void {
    if (sent === this.#settled) return;
    this.#chars += chars;
    if (this.#pending?.sent === sent) {
      this.#pending.chars += chars;
    } else {
      const pending = { sent, chars };
      this.#pending = pending;
      const settle = (): void => this.#settle(pending);
      sent.then(settle, settle);
    }
    if (this.#chars > this.#limit) this.#release ??= this.#hold();
  }

  #settle(pending: PendingSends): void {
    this.#chars -= pending.chars;
    this.#settled = pending.sent;
    if (this.#pending === pending) this.#pending = undefined;
    if (this.#chars >= this.#limit / 2) return;
    this.#release?.();
    this.#release = undefined;
  }
}
