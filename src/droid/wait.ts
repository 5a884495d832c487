import { unlessAborted } from "../base/index.ts";
import { DroidError } from "./errors.ts";

/** Options of a call. */
export interface WaitOptions {
  /**
   * Stops the waiting when aborted: the call rejects with a DroidError (`cancelled`). Droid's protocol
   * has no way to withdraw a request, so Droid may still carry it out.
   */
  readonly signal?: AbortSignal | undefined;
}

/** Does the work. If the signal is aborted before the work ends, rejects with a DroidError (`cancelled`). */
export async function waitForDroid<T>(work: () => Promise<T>, { signal }: WaitOptions): Promise<T> {
  if (!signal) return work();
  const aborted = (): DroidError =>
    new DroidError("cancelled", "the caller stopped waiting for Droid", { cause: signal.reason });
  if (signal.aborted) throw aborted();
  return unlessAborted(work(), signal, aborted);
}
