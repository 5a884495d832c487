import { immediately } from "../../base/index.ts";

let ahead: Promise<unknown> = Promise.resolve();

/**
 * Runs work that may block the process up to its time limit: one piece at a time, and between two of them
 * everything else that waits. However many schemas are used at once, the process is blocked for the time
 * limit of one at most.
 */
export function inTurn<T>(work: () => T): Promise<T> {
  const done = ahead.then(() => new Promise<void>((resolve) => immediately(resolve))).then(work);
  ahead = done.catch(() => {});
  return done;
}
