import { describe } from "vitest";
import { droidUnavailable, type DroidVersion } from "./install.ts";

/** The Bun inside 0.99.0 crashes now and then (SIGILL). Only that is retried. */
export const CRASH = { count: 2, condition: /SIGILL/ };

/** More than a test with a real Droid takes on a busy machine. */
export const LONG = 180_000;

/** Tests with each of these versions of Droid, which are skipped on a machine that it does not run on. */
export function describeDroids(
  name: string,
  versions: readonly DroidVersion[],
  tests: (version: DroidVersion) => void,
): void {
  describe.skipIf(droidUnavailable() !== undefined).each(versions)(
    `${name} %s`,
    { timeout: LONG, retry: CRASH },
    tests,
  );
}
