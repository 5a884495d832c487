import { unlessAborted } from "../base/index.ts";
import { DroidError } from "./errors.ts";

/** How to wait for Droid. */
export interface WaitOptions {
  /**
   * Stops the waiting when aborted: the call rejects with a DroidError (`aborted`). Droid's protocol
   * has no way to withdraw a request, so Droid may still carry it out.
   */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Does the work. If the signal is aborted before the work ends, rejects with a DroidError (`aborted`).
 */
export async function waitFor<T>(work: () => Promise<T>, { signal }: WaitOptions): Promise<T> {
  if (!signal) return work();
  const aborted = (): DroidError =>
    new DroidError("aborted", "the caller stopped waiting for Droid", { cause: signal.reason });
  if (signal.aborted) throw aborted();
  return unlessAborted(work(), signal, aborted);
}
