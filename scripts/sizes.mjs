// @ts-check
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { root } from "./run.mjs";

/**
 * The size of an entry when an application bundles all of it, in bytes.
 * @typedef {object} Size
 * @property {number} minified
 * @property {number} gzip
 */

/**
 * The budget: sizes by the name of the entry, such as `dragoman/agent` or `dragoman (browser)`.
 * @typedef {Record<string, Size>} Sizes
 */

/** Where the budget is recorded. */
export const BUDGET_FILE = "api/sizes.json";
/** An entry may grow by 10 % above its budget. */
export const SLACK = 1.1;

/** @returns {Promise<Sizes>} */
export async function readBudget() {
  return JSON.parse(await readFile(join(root, BUDGET_FILE), "utf8"));
}

/**
 * Bundles every entry of the package in a folder: once for Node, and once for browsers if the entry has
 * a variant for them. Code that is loaded lazily counts too.
 * @param {string} folder
 * @returns {Promise<Sizes>}
 */
export async function measureSizes(folder) {
  /** @type {{ name: string, exports: Record<string, unknown> }} */
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const variants = Object.entries(manifest.exports)
    .filter(([path]) => path !== "./package.json")
    .flatMap(([path, target]) => {
      const name = path.replace(/^\./, manifest.name);
      const forNode = { title: name, name, platform: /** @type {const} */ ("node") };
      if (!JSON.stringify(target).includes('"browser":')) return [forNode];
      return [forNode, { ...forNode, title: `${name} (browser)`, platform: "browser" }];
    });
  const sizes = variants.map(async ({ title, name, platform }) => {
    const { outputFiles } = await build({
      stdin: { contents: `export * from ${JSON.stringify(name)};`, resolveDir: folder },
      // In this repository, tsconfig.json would lead to the sources.
      tsconfigRaw: {},
      bundle: true,
      minify: true,
      format: "esm",
      platform: platform === "node" ? "node" : "browser",
      // The peers of optional entries are not part of the package.
      external: ["node:*", "ai", "@ai-sdk/*", "@nats-io/*"],
      legalComments: "none",
      write: false,
      logLevel: "silent",
    });
    const code = outputFiles[0]?.contents ?? new Uint8Array();
    const gzip = gzipSync(code, { level: 9 }).length;
    return /** @type {const} */ ([title, { minified: code.length, gzip }]);
  });
  return Object.fromEntries(await Promise.all(sizes));
}

/**
 * The entries that are more than 10 % larger than their budget, or that have none.
 * @param {Sizes} sizes
 * @param {Sizes} budget
 */
export function overBudget(sizes, budget) {
  return Object.entries(sizes)
    .filter(([name, { minified, gzip }]) => {
      const allowed = budget[name] ?? { minified: 0, gzip: 0 };
      return minified > allowed.minified * SLACK || gzip > allowed.gzip * SLACK;
    })
    .map(([name]) => name);
}

/**
 * How the CHANGELOG states the size of an entry.
 * @param {string} name
 * @param {Size} size
 */
export function statement(name, { minified, gzip }) {
  return `\`${name}\` ${kilobytes(minified)} (${kilobytes(gzip)} with gzip)`;
}

/** @param {number} bytes */
export function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
