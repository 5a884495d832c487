import { deferred } from "../../base/index.ts";

export type Aborted<T> =
  | { readonly aborted: true }
  | { readonly aborted: false; readonly value: T };

/**
 * Waits for work, but only until one of the signals is aborted, so work that never ends delays
 * nothing. The work gets its own signal, which is aborted with the first of them. Rejects if the work
 * rejects.
 */
export async function untilAborted<T>(
  signals: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<Aborted<T>> {
  if (signals.some((signal) => signal.aborted)) return { aborted: true };
  const controller = new AbortController();
  const aborted = deferred<Aborted<T>>();
  const abort = (): void => {
    aborted.resolve({ aborted: true });
    controller.abort();
  };
  const stops = signals.map((signal) => onAbort(signal, abort));
  try {
    const done = work(controller.signal).then((value): Aborted<T> => ({ aborted: false, value }));
    return await Promise.race([aborted.promise, done]);
  } finally {
    for (const stop of stops) stop();
  }
}

const listening = new WeakMap<AbortSignal, Set<() => void>>();

/** Adds one listener per signal: a turn may have hundreds of questions, and Node warns after ten. */
function onAbort(signal: AbortSignal, call: () => void): () => void {
  let calls = listening.get(signal);
  if (!calls) {
    const all = new Set<() => void>();
    signal.addEventListener("abort", () => [...all].forEach((one) => one()), { once: true });
    listening.set(signal, all);
    calls = all;
  }
  const own = calls;
  own.add(call);
  return () => own.delete(call);
}

/** Runs at most `limit` pieces of work at once. The others wait in line. */
export class ConcurrencyLimit {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#free = limit;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
