import { droidUnavailable, ensureDroid, testedDroids } from "./install.ts";

/**
 * For vitest's `globalSetup`: installs Droid before the first test, so that no download counts toward the time limit of
 * a test. A failure only prints a warning here; the tests that need Droid then fail, and the others still run.
 */
export async function setup(): Promise<void> {
  const reason = droidUnavailable();
  if (reason !== undefined) {
    console.warn(`skipping tests with the real Droid: ${reason}`);
    return;
  }
  for (const version of testedDroids()) {
    try {
      await ensureDroid(version);
    } catch (error) {
      console.warn(`could not install Droid ${version}:`, error);
    }
  }
}
