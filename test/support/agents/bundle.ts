import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

export interface Bundle {
  /** The URL to import it from. */
  readonly url: string;
  remove(): Promise<void>;
}

/** Bundles a source module as plain JavaScript, for programs that tests start. */
export async function bundleOf(source: string): Promise<Bundle> {
  const folder = await mkdtemp(join(tmpdir(), "dragoman-bundle-"));
  const file = join(folder, "bundle.mjs");
  const built = await rolldown({
    input: fileURLToPath(new URL(`../../../${source}`, import.meta.url)),
    platform: "node",
    external: ["cross-spawn"],
    // Node 20 does not support `await using`.
    transform: { target: "node20.19" },
  });
  await built.write({ file, format: "esm", codeSplitting: false });
  await built.close();
  return { url: pathToFileURL(file).href, remove: () => rm(folder, { recursive: true }) };
}

/** The path of a program in this folder. */
export function agentPath(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
