/** A page stays responsive if no piece of work takes longer than this. */
const SLICE_MS = 12;
/** Results that take long are computed again only this often while a session is live. */
export const RECOMPUTE_MS = 500;
/** Computing again takes at most this fraction of the time: one in 20. */
const MOST_SHARE = 20;

export class Slices {
  #started = performance.now();

  /** Resolves at once if the slice has time left, and otherwise after the browser had its turn. */
  async next(): Promise<void> {
    if (performance.now() - this.#started < SLICE_MS) return;
    await nextTurn();
    this.#started = performance.now();
  }
}

/**
 * Lets the browser handle input, timers and paint. `scheduler.yield` would come back before all timers, and a
 * timer has a pause of its own.
 */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener("message", () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(undefined);
  });
}

interface Growing {
  readonly version: number;
  readonly state: { readonly type: string };
}

/** Keeps a result that takes long until the recording changes, and not too often while it is read. */
export class Memo<T> {
  #last:
    | { readonly of: Growing; readonly key: string; readonly version: number; readonly value: T }
    | undefined;
  #at = 0;
  #tookMs = 0;

  /** The result of `compute`. Another key computes it at once. */
  get(of: Growing, compute: () => T, key = ""): T {
    const { version, state } = of;
    const last = this.#last;
    const isGrowing = state.type === "live" || state.type === "loading";
    // While a large session is read, most of the time belongs to the reading.
    const pause = Math.max(RECOMPUTE_MS, MOST_SHARE * this.#tookMs);
    const now = performance.now();
    const isFresh = version === last?.version || (isGrowing && now - this.#at < pause);
    if (last && last.of === of && last.key === key && isFresh) return last.value;
    const value = compute();
    this.#at = performance.now();
    this.#tookMs = this.#at - now;
    this.#last = { of, key, version, value };
    return value;
  }
}
