// @ts-check
// The packages that are part of dist: their licenses, and the bill of materials that lists them.
import { readFile, readdir, realpath } from "node:fs/promises";
import { join, relative } from "node:path";

/**
 * A package whose code or type declarations are part of dist.
 * @typedef {object} Inlined
 * @property {string} name
 * @property {string} version
 * @property {string} license an SPDX expression
 * @property {string} text the text of its license
 * @property {string | undefined} integrity of its tarball, from the lock file
 * @property {readonly string[]} needs the names of its dependencies
 */

/**
 * The packages that these module files belong to, in the order of their names. Throws if one has no license
 * text, or is not in the lock file.
 * @param {Iterable<string>} modules
 * @returns {Promise<Inlined[]>}
 */
export async function inlinedPackages(modules) {
  /** @type {{ packages: Record<string, { integrity?: string }> }} */
  const lock = JSON.parse(await readFile("package-lock.json", "utf8"));
  const home = await realpath("node_modules");
  /** @type {Set<string>} */
  const folders = new Set();
  for (const id of modules) {
    const folder = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id.replaceAll("\\", "/"))?.[1];
    if (folder) folders.add(await realpath(folder.replace(/^\0/, "")));
  }
  const sorted = [...folders].toSorted((a, b) => (a < b ? -1 : 1));
  return await Promise.all(
    sorted.map(async (folder) => {
      /** @type {{ name: string, version: string, license: string, dependencies?: object }} */
      const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
      const { name, version, license, dependencies = {} } = manifest;
      const file = (await readdir(folder)).find((each) => /^licen[cs]e(\.|$)/i.test(each));
      if (!file) throw new Error(`${name} has no license file to include`);
      const text = (await readFile(join(folder, file), "utf8")).trim();
      const path = `node_modules/${relative(home, folder).replaceAll("\\", "/")}`;
      const locked = lock.packages[path];
      if (!locked) throw new Error(`${path} is not in package-lock.json`);
      const { integrity } = locked;
      return { name, version, license, text, integrity, needs: Object.keys(dependencies) };
    }),
  );
}

/**
 * The text of THIRD-PARTY-LICENSES.txt.
 * @param {string} owner the name of the package that they are part of
 * @param {readonly Inlined[]} packages
 */
export function licenses(owner, packages) {
  const head = `${owner} contains code or type declarations from the following packages.\n`;
  const notes = packages.map(
    ({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text}\n`,
  );
  return [head, ...notes].join(`\n${"-".repeat(80)}\n\n`);
}

/**
 * A software bill of materials in the format of CycloneDX 1.6. It has no time and no serial number, so that
 * the same sources always give the same file.
 * @param {{ name: string, version: string, license: string, devDependencies: object }} owner
 * @param {readonly Inlined[]} packages
 */
export function billOfMaterials(owner, packages) {
  const direct = Object.keys(owner.devDependencies);
  const refs = (/** @type {readonly string[]} */ names) =>
    packages.filter(({ name }) => names.includes(name)).map((each) => packageUrl(each));
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { lifecycles: [{ phase: "build" }], component: component(owner) },
    components: packages.map((each) => ({ ...component(each), ...hashes(each.integrity) })),
    dependencies: [
      { ref: packageUrl(owner), dependsOn: refs(direct) },
      ...packages.map((each) => ({ ref: packageUrl(each), dependsOn: refs(each.needs) })),
    ],
  };
}

/** @param {{ name: string, version: string, license: string }} meta */
function component({ name, version, license }) {
  const [, group, own = name] = /^(@[^/]+)\/(.*)$/.exec(name) ?? [];
  const purl = packageUrl({ name, version });
  const isId = /^[\w.+-]+$/.test(license);
  return {
    type: "library",
    "bom-ref": purl,
    ...(group !== undefined && { group }),
    name: own,
    version,
    licenses: [isId ? { license: { id: license } } : { expression: license }],
    purl,
  };
}

/** @param {{ name: string, version: string }} meta */
function packageUrl({ name, version }) {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

/** @param {string | undefined} integrity */
function hashes(integrity) {
  const base64 = /^sha512-(\S+)$/.exec(integrity ?? "")?.[1];
  if (base64 === undefined) return {};
  return { hashes: [{ alg: "SHA-512", content: Buffer.from(base64, "base64").toString("hex") }] };
}
