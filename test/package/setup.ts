import type { TestProject } from "vitest/node";
import { packProject } from "../support/package.ts";

/** For vitest's `globalSetup`: builds and packs the project once for all files of a run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const packed = await packProject();
  project.provide("tarball", packed.tarball);
  project.provide("shipped", packed.shipped);
  return () => packed.remove();
}
