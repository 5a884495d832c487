export type Aborted<T> =
  | { readonly aborted: true }
  | { readonly aborted: false; readonly value: T };

/**
 * Waits for work until one of the signals is aborted, and no longer: work that never ends holds
 * nothing up. The work gets a signal of its own, aborted with the first of them. Rejects as the work
 * does.
 */
export async function untilAborted<T>(
  signals: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<Aborted<T>> {
  if (signals.some((signal) => signal.aborted)) return { aborted: true };
  const controller = new AbortController();
  let abort = (): void => {};
  const aborted = new Promise<Aborted<T>>((resolve) => {
    abort = () => {
      resolve({ aborted: true });
      controller.abort();
    };
  });
  for (const signal of signals) signal.addEventListener("abort", abort, { once: true });
  try {
    const done = work(controller.signal).then((value): Aborted<T> => ({ aborted: false, value }));
    return await Promise.race([aborted, done]);
  } finally {
    for (const signal of signals) signal.removeEventListener("abort", abort);
  }
}
