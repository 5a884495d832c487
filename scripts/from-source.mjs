// @ts-check
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "rolldown";
import { root } from "./run.mjs";

/**
 * Bundles and loads a TypeScript module of this repository, so that tools do not need a build.
 * @param {string} entry its path from the root
 * @returns {Promise<any>}
 */
export async function fromSource(entry) {
  const dir = join(root, "node_modules", ".cache", "scripts", entry.replaceAll(/\W/g, "-"));
  await build({
    input: join(root, entry),
    platform: "node",
    // Node 20 does not support `await using`.
    transform: { target: "node20" },
    output: { dir, format: "esm", entryFileNames: "main.js" },
    logLevel: "silent",
  });
  return import(pathToFileURL(join(dir, "main.js")).href);
}
