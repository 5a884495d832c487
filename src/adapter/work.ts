/** For work whose failure is nobody's concern: it is done for good order, and nothing waits for it. */
export function quietly(work: Promise<unknown>): void {
  work.then(undefined, () => {});
}

/** A promise that rejects with the signal's reason as soon as it is aborted; the work itself goes on. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    const abort = (): void => reject(toError(signal.reason));
    signal.addEventListener("abort", abort, { once: true });
    stop = () => signal.removeEventListener("abort", abort);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    stop();
  }
}

/** Waits for work, but no longer than this; true if it was done in time. */
export async function within(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
