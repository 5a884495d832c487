// @ts-check
// `node scripts/agents-outdated.mjs`: compares the third-party agents and clients that the interop tests use with
// the newest versions on npm. Exits with 1 if there are newer ones, and with 2 if the registry does not
// answer.
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "./run.mjs";

const run = promisify(execFile);

/**
 * @typedef {object} Manifest
 * @property {Record<string, string>} dependencies
 * @property {string} [pinned] Why the versions of this folder stay as they are.
 */

/** @param {string} folder */
async function manifestsIn(folder) {
  const parent = join(root, folder);
  const names = await readdir(parent);
  return Promise.all(
    names.map(async (name) => {
      /** @type {Manifest} */
      const manifest = JSON.parse(await readFile(join(parent, name, "package.json"), "utf8"));
      return { ...manifest, name: join(folder, name) };
    }),
  );
}

const folders = ["test/real/agents/packages", "test/real/clients/packages"];
const manifests = (await Promise.all(folders.map(manifestsIn))).flat();
// Node is there only to run the others.
const used = manifests
  .filter(({ pinned }) => pinned === undefined)
  .flatMap(({ name, dependencies }) =>
    Object.entries(dependencies).map(([dependency, version]) => ({ name, dependency, version })),
  )
  .filter(({ dependency }) => !dependency.startsWith("node-linux-"));

let outdated = 0;
for (const { name, dependency, version } of used) {
  const newest = await newestOf(dependency);
  if (newest === version) continue;
  outdated += 1;
  console.log(`${name}: ${dependency} ${version}, newest ${newest}`);
}
console.log(`${outdated} of ${used.length} packages have a newer version`);
process.exitCode = outdated === 0 ? 0 : 1;

/** @param {string} dependency */
async function newestOf(dependency) {
  try {
    const { stdout } = await run("npm", [
      "view",
      dependency,
      "version",
      "--logs-max=0",
      "--fetch-retries=0",
    ]);
    return stdout.trim();
  } catch (error) {
    console.error(`npm could not be asked about ${dependency}: ${String(error)}`);
    process.exit(2);
  }
}
