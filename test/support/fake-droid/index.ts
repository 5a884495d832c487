import { fileURLToPath } from "node:url";
import type { DroidProcessOptions } from "../../../src/entries/droid.ts";

/** The versions that the fake can imitate. Those before 0.99 are no longer available. */
export type FakeVersion = "0.36.2" | "0.57.14" | "0.99.0" | "0.225.2";

/** Options that start the fake Droid instead of the real one. */
export function fakeDroid(version: FakeVersion, transcript?: string): DroidProcessOptions {
  // One file per version, because the version is looked up once per executable.
  const executable = fileURLToPath(new URL(`droid-${version}.mjs`, import.meta.url));
  return { executable, env: { FAKE_DROID_TRANSCRIPT: transcript } };
}
