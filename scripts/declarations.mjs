// @ts-check
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { root } from "./run.mjs";

/**
 * A published entry.
 * @typedef {object} Entry
 * @property {string} name how users import it: `dragoman/agent`
 * @property {string} id the name of its files: `agent`
 */

/**
 * The published entries, in the order of package.json.
 * @returns {Promise<Entry[]>}
 */
export async function publishedEntries() {
  /** @type {{ name: string, exports: Record<string, string | { default: string }> }} */
  const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  return Object.entries(manifest.exports).flatMap(([path, target]) =>
    typeof target === "string"
      ? []
      : [{ name: path.replace(/^\./, manifest.name), id: basename(target.default, ".js") }],
  );
}

/**
 * Calls a function with a folder of the declarations that the package publishes. They are built in a
 * scratch folder, unless `given` names a folder that has them already.
 * @param {string | undefined} given
 * @param {(folder: string) => Promise<void>} use
 */
export async function withDeclarations(given, use) {
  if (given !== undefined) return await use(given);
  const scratch = await mkdtemp(join(tmpdir(), "dragoman-declarations-"));
  try {
    const folder = join(scratch, "dist");
    const args = [join(root, "scripts/build.mjs"), "--out", folder];
    const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
    if (status !== 0) throw new Error("the declarations could not be built");
    await use(folder);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
