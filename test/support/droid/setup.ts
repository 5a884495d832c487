import { droidUnavailable, ensureDroid, testedDroids } from "./install.ts";

/**
 * For vitest's `globalSetup`: installs before the first test, so that no test's time limit covers a download. A failure
 * is only told here; the tests that need Droid then fail, the others still run.
 */
export async function setup(): Promise<void> {
  const reason = droidUnavailable();
  if (reason !== undefined) {
    console.warn(`real Droid is not tested: ${reason}`);
    return;
  }
  for (const version of testedDroids()) {
    try {
      await ensureDroid(version);
    } catch (error) {
      console.warn(`Droid ${version} could not be installed:`, error);
    }
  }
}
