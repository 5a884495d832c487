const MINUTE_MS = 60_000;
/** How many keys are remembered. Beyond it, the oldest is forgotten. */
const MAX_KEYS = 4096;

/** Counts events by key, per minute. */
export class RateLimit {
  readonly #limit: number;
  readonly #now: () => number;
  readonly #windows = new Map<string, { readonly since: number; count: number }>();

  constructor(limit: number, now: () => number = () => performance.now()) {
    this.#limit = limit;
    this.#now = now;
  }

  /** Counts an event. Returns whether the key is still within its limit. */
  take(key: string): boolean {
    const now = this.#now();
    const found = this.#windows.get(key);
    if (found && now - found.since < MINUTE_MS) return ++found.count <= this.#limit;
    this.#windows.delete(key);
    this.#windows.set(key, { since: now, count: 1 });
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > MAX_KEYS && oldest !== undefined) this.#windows.delete(oldest);
    return this.#limit >= 1;
  }
}
