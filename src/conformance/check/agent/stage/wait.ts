import { access } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { within } from "../../../../base/index.ts";

const POLL_MS = 20;

/** Waits until a condition is true. Resolves with false if the limit passes first. */
export async function untilTrue(
  condition: () => boolean | Promise<boolean>,
  limitMs: number,
): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    if (await condition()) return true;
    if (performance.now() > deadline) return false;
    await pause(POLL_MS);
  }
}

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** The value of a promise, or undefined if the limit passes first. */
export async function valueWithin<T>(promise: Promise<T>, limitMs: number): Promise<T | undefined> {
  return (await within(promise, limitMs)) ? promise : undefined;
}
