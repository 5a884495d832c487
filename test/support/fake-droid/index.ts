import { fileURLToPath } from "node:url";
import type { DroidProcessOptions } from "../../../src/entries/droid.ts";

/** The versions the fake can play; those before 0.99 cannot be had any more. */
export type FakeVersion = "0.36.2" | "0.57.14" | "0.99.0" | "0.225.2";

/** Options that start the fake instead of Droid. */
export function fakeDroid(version: FakeVersion, transcript?: string): DroidProcessOptions {
  // A file for each version: a version is looked up once per executable.
  const executable = fileURLToPath(new URL(`droid-${version}.mjs`, import.meta.url));
  return { executable, env: { FAKE_DROID_TRANSCRIPT: transcript } };
}
