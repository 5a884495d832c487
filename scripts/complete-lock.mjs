// @ts-check
// If a registry lacks some platform packages (native bindings for other systems), npm silently omits
// them from package-lock.json, and `npm ci` then rejects the lock file. This script adds an entry for
// each optional dependency that is missing there, and derives its systems from the package's name. Run
// it after every install that changes the lock file.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./run.mjs";

/**
 * @typedef {object} Entry
 * @property {string} [version]
 * @property {Record<string, string>} [optionalDependencies]
 * @property {boolean} [dev]
 * @property {boolean} [optional]
 * @property {string[]} [cpu]
 * @property {string[]} [libc]
 * @property {string[]} [os]
 */

const file = join(root, "package-lock.json");
/** @type {{ packages: Record<string, Entry> }} */
const lock = JSON.parse(await readFile(file, "utf8"));

const systems = new Set(
  "aix android darwin freebsd linux netbsd openbsd openharmony sunos win32".split(" "),
);
const processors = new Set(
  "arm arm64 ia32 loong64 mips64el ppc64 riscv64 s390x wasm32 x64".split(" "),
);

/** @param {string} name */
function systemOf(name) {
  const words = name.split(/[/-]/);
  const os = words.find((word) => systems.has(word));
  const cpu = words.find((word) => processors.has(word));
  if (!cpu) throw new Error(`the name ${name} does not contain a known processor`);
  const musl = words.some((each) => each.startsWith("musl"));
  const gnu = words.some((each) => each.startsWith("gnu"));
  const libc = os === "linux" && (musl || gnu) ? [musl ? "musl" : "glibc"] : undefined;
  return { cpu: [cpu], libc, os: os ? [os] : undefined };
}

/** @type {string[]} */
const added = [];
for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const paths = [`${path}/node_modules/${name}`, `node_modules/${name}`];
    if (paths.some((candidate) => lock.packages[candidate])) continue;
    // Resolving a range needs the registry, but native bindings always have an exact version.
    if (!/^\d+\.\d+\.\d+/.test(version)) continue;
    // Use npm's own order of keys, so that an install does not change the file.
    const { cpu, libc, os } = systemOf(name);
    lock.packages[`node_modules/${name}`] = {
      version,
      cpu,
      ...(entry.dev && { dev: true }),
      ...(libc && { libc }),
      optional: true,
      ...(os && { os }),
    };
    added.push(name);
  }
}
lock.packages = Object.fromEntries(
  Object.entries(lock.packages).toSorted(([a], [b]) => a.localeCompare(b, "en")),
);
await writeFile(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`added ${added.length} entries to package-lock.json`);
