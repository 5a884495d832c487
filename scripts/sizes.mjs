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
      const platform = /** @type {const} */ ("browser");
      return [forNode, { ...forNode, title: `${name} (browser)`, platform }];
    });
  const sizes = variants.map(async ({ title, name, platform }) => {
    const contents = `export * from ${JSON.stringify(name)};`;
    const { outputFiles } = await bundle(folder, contents, { platform });
    const code = outputFiles[0]?.contents ?? new Uint8Array();
    const gzip = gzipSync(code, { level: 9 }).length;
    return /** @type {const} */ ([title, { minified: code.length, gzip }]);
  });
  return Object.fromEntries(await Promise.all(sizes));
}

/** At most this many bytes are loaded when a program starts that uses only `AcpClient`. */
export const CLIENT_TARGET = 200_000;

/**
 * The size of a program that uses only `AcpClient`, in bytes.
 * @typedef {object} ClientSize
 * @property {"node" | "browser"} platform
 * @property {number} start the code that it loads when it starts, if the bundler splits code
 * @property {number} single all of its code in one file
 */

/**
 * Bundles a program that uses only `AcpClient`, once for Node and once for browsers.
 * @param {string} folder
 * @returns {Promise<ClientSize[]>}
 */
export async function measureClient(folder) {
  const contents = 'export { AcpClient } from "dragoman";';
  const platforms = /** @type {const} */ (["node", "browser"]);
  return await Promise.all(
    platforms.map(async (platform) => {
      const { outputFiles } = await bundle(folder, contents, { platform });
      const options = { platform, splitting: true, outdir: "out", metafile: true };
      const { outputs = {} } = (await bundle(folder, contents, options)).metafile ?? {};
      const entries = Object.keys(outputs).filter(
        (path) => outputs[path]?.entryPoint === "<stdin>",
      );
      const loaded = new Set(entries);
      for (const path of loaded)
        for (const { kind, path: other } of outputs[path]?.imports ?? [])
          if (kind === "import-statement" && outputs[other]) loaded.add(other);
      const start = [...loaded].reduce((sum, path) => sum + (outputs[path]?.bytes ?? 0), 0);
      return { platform, start, single: outputFiles[0]?.contents.length ?? 0 };
    }),
  );
}

/**
 * Bundles a program as an application does.
 * @param {string} folder of the package
 * @param {string} contents of the program
 * @param {import("esbuild").BuildOptions} options
 */
function bundle(folder, contents, options) {
  return build({
    stdin: { contents, resolveDir: folder },
    // In this repository, tsconfig.json would lead to the sources.
    tsconfigRaw: {},
    bundle: true,
    minify: true,
    format: "esm",
    // The peers of optional entries are not part of the package.
    external: ["node:*", "ai", "@ai-sdk/*", "@nats-io/*"],
    legalComments: "none",
    logLevel: "silent",
    ...options,
    write: false,
  });
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
 * The size of an entry in words.
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
