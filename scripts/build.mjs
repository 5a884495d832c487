// @ts-check
// Builds dist/: the library entries with shared chunks, those of them that work in browsers a second
// time without Node's modules, all of them once more as CommonJS, one self-contained tree per bin (so that
// `--version` loads a single file), bundled declarations, and the licenses and the bill of materials of the
// inlined packages.
// Usage: node scripts/build.mjs [--out <folder>]
import { chmod, mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { builtinModules, isBuiltin } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "rolldown";
import { esmExternalRequirePlugin } from "rolldown/plugins";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import { acceptUndefined } from "./accept-undefined.mjs";
import { browserSiblings } from "./browser-siblings.mjs";
import { describeLiterals } from "./describe-literals.mjs";
import { billOfMaterials, inlinedPackages, licenses } from "./inlined.mjs";
import { inspectPage, pageModules } from "./inspect-page.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
process.chdir(root);

const { values: options } = parseArgs({ options: { out: { type: "string", default: "dist" } } });
const out = resolve(options.out);
// Build next to the target and then swap, so that a failed build leaves the old one usable.
const staging = `${out}.partial-${process.pid}`;

/** @type {{ name: string, version: string, license: string, devDependencies: object }} */
const pkg = JSON.parse(await readFile("package.json", "utf8"));

const library = await inputs("entries");
/** The entries that also exist for browsers. */
const neutral = ["agent", "ai", "dragoman", "protocol", "tools", "unstable", "wire"];
/** @type {import("rolldown").InputOptions} */
const FOR_NODE = {
  platform: "node",
  tsconfig: true,
  transform: {
    target: "node20.19",
    define: {
      DRAGOMAN_VERSION: JSON.stringify(pkg.version),
      // `ws` would require native addons, which are not there.
      "process.env.WS_NO_BUFFER_UTIL": '"1"',
      "process.env.WS_NO_UTF_8_VALIDATE": '"1"',
    },
  },
};
/**
 * For the commands: Node reads and parses every byte that they load at each start. The names of functions
 * and classes stay, so that stack traces can be read.
 */
const SHORT = {
  compress: false,
  mangle: { toplevel: false, keepNames: true },
  codegen: { removeWhitespace: true },
};
/**
 * For `dragoman`: one file for the start, which is all that help needs, one for everything until the agent
 * of a prompt is started, one for the client, which is loaded while the agent starts, and one for what
 * other commands share. Loading one file is faster than loading thirty, and each part that is loaded later
 * would otherwise cut the shared code into more files.
 */
async function fewFiles() {
  const { start, prompt, client } = await modulesOf({
    start: "src/apps/cli/index.ts",
    prompt: "src/apps/cli/commands/prompt/command.ts",
    client: "src/apps/cli/connect/client.ts",
  });
  /** @param {ReadonlySet<string>} modules */
  const among = (modules) => ({ test: (/** @type {string} */ id) => modules.has(id) });
  return {
    groups: [
      { name: "start", ...among(start), priority: 4 },
      { name: "prompt", ...among(prompt), priority: 3 },
      { name: "client", ...among(client), priority: 2 },
      {
        // `check`, `inspect`, servers and the commands of a fleet share files among their own parts. In this
        // group they would bring all cases, all rules and the engine on NATS into every run.
        name: "shared",
        test: /\/src\/(?:apps\/cli(?!\/(?:fleet|inspect|serve|commands\/(?:check|fleet|gateway|inspect|jobs|serve|worker))\/)|client|host\/hub(?!\/serve\/)|transport\/remote(?!\/server\/))\//,
        minShareCount: 2,
        priority: 1,
      },
    ],
  };
}
const bins = {
  "bin/dragoman": "src/apps/bin/dragoman.ts",
  "bin/droid-acp": "src/apps/bin/droid-acp.ts",
};
// Users of `dragoman/ai` have this package. Its types are imported rather than inlined, so that they are
// the same as those of the AI SDK even if that adds to them.
const typeImports = ["@ai-sdk/provider"];
/** Packages that a user of `dragoman/fleet` installs for a fleet on NATS. They are loaded when it connects. */
const optional = ["@nats-io/transport-node", "@nats-io/jetstream", "@nats-io/kv"];
/**
 * For the library: maps, so that stack traces name the sources. The text of the sources is not in them: it
 * would add more to the package than the maps themselves.
 * @satisfies {import("rolldown").OutputOptions}
 */
const MAPPED = {
  sourcemap: true,
  sourcemapExcludeSources: true,
  // As if dist were in the project, and the packages too, wherever they are.
  sourcemapPathTransform: (source, map) => {
    const file = resolve(dirname(map), source).replaceAll("\\", "/");
    const path = /(?<=\/)node_modules\/.*$/.exec(file)?.[0] ?? relative(root, file);
    return join(relative(dirname(map), staging), "..", path).replaceAll("\\", "/");
  },
};
/** Module files whose code or types ended up in dist. @type {Set<string>} */
const inlined = new Set();

try {
  await rm(staging, { recursive: true, force: true });
  await mkdir(staging, { recursive: true });
  // Wait for all parts even if one fails: a part that still writes would disturb the cleanup.
  const parts = await Promise.allSettled([
    bundle(library, "chunks/[name]-[hash].js", MAPPED),
    bundle(library, "cjs/chunks/[name]-[hash].cjs", {
      format: "cjs",
      entryFileNames: "cjs/[name].cjs",
      // Jest refuses `import()`.
      dynamicImportInCjs: false,
    }),
    bundleForBrowsers(),
    ...Object.entries(bins).map(async ([name, file]) => {
      await bundle({ [name]: file }, `${name}/[name]-[hash].js`, {
        minify: SHORT,
        ...(name === "bin/dragoman" ? { codeSplitting: await fewFiles() } : {}),
      });
      // npm sets this bit on install, but a bin that is called directly in a clone needs it too.
      await chmod(join(staging, `${name}.js`), 0o755);
    }),
    declarations(library),
    writeInspectPage(),
  ]);
  for (const part of parts) if (part.status === "rejected") throw part.reason;
  const packages = await inlinedPackages(inlined);
  await writeFile(join(staging, "THIRD-PARTY-LICENSES.txt"), licenses(pkg.name, packages));
  const bill = JSON.stringify(billOfMaterials(pkg, packages), null, 2);
  await writeFile(join(staging, "sbom.cdx.json"), `${bill}\n`);
  await rm(out, { recursive: true, force: true });
  await rename(staging, out);
} finally {
  await rm(staging, { recursive: true, force: true });
}

/** The page of `dragoman inspect`, as one file. */
async function writeInspectPage() {
  const [page, modules] = await Promise.all([inspectPage(), pageModules()]);
  for (const id of modules) inlined.add(id);
  await mkdir(join(staging, "inspect"), { recursive: true });
  await writeFile(join(staging, "inspect/page.html"), page);
}

/**
 * The files of a folder in src, by the names of their bundles.
 * @param {string} folder
 */
async function inputs(folder) {
  const names = (await readdir(`src/${folder}`)).map((file) => file.replace(/\.ts$/, ""));
  return Object.fromEntries(names.map((name) => [name, `src/${folder}/${name}.ts`]));
}

/**
 * @param {Record<string, string>} input
 * @param {string} chunkFileNames
 * @param {import("rolldown").OutputOptions} options
 */
async function bundle(input, chunkFileNames, options = {}) {
  const { output } = await build({
    input,
    ...FOR_NODE,
    // Otherwise a `require("fs")` of a bundled CommonJS package becomes `createRequire(import.meta.url)`
    // in a chunk that every entry loads, and bundlers of our users cannot translate that to CommonJS.
    plugins:
      options.format === "cjs" ? [] : [esmExternalRequirePlugin({ external: [...builtinModules] })],
    external: optional,
    output: {
      dir: staging,
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames,
      ...options,
      // Bundled packages say "fs"; the bundlers of our users recognize "node:fs" without any configuration.
      paths: (name) => (builtinModules.includes(name) ? `node:${name}` : name),
    },
  });
  for (const chunk of output) {
    if (chunk.type !== "chunk") continue;
    for (const id of chunk.moduleIds) inlined.add(id);
    assertNoDependencies(chunk, output);
  }
}

/**
 * The modules whose code each of these files always loads. Code that they import on demand does not count.
 * @template {string} Name
 * @param {Record<Name, string>} input
 * @returns {Promise<Record<Name, Set<string>>>}
 */
async function modulesOf(input) {
  const { output } = await build({ ...FOR_NODE, input, write: false });
  const chunks = output.filter((chunk) => chunk.type === "chunk");
  const found = chunks
    .filter(({ isEntry }) => isEntry)
    .map((entry) => {
      const loaded = new Set([entry]);
      for (const { imports } of loaded)
        for (const chunk of chunks) if (imports.includes(chunk.fileName)) loaded.add(chunk);
      return [entry.name, new Set([...loaded].flatMap(({ moduleIds }) => moduleIds))];
    });
  return Object.fromEntries(found);
}

/** In this build, `x.browser.ts` takes the place of `x.ts` where there is one. */
async function bundleForBrowsers() {
  const { output } = await build({
    input: Object.fromEntries(neutral.map((name) => [name, `src/entries/${name}.ts`])),
    platform: "browser",
    tsconfig: true,
    // Files that the entries do not use may import them. The check below fails if one is left.
    external: [...builtinModules, /^node:/],
    plugins: [browserSiblings()],
    transform: {
      target: "es2022",
      define: { DRAGOMAN_VERSION: JSON.stringify(pkg.version) },
    },
    output: {
      dir: join(staging, "browser"),
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "chunks/[name]-[hash].js",
      ...MAPPED,
    },
  });
  for (const chunk of output) {
    if (chunk.type !== "chunk") continue;
    for (const id of chunk.moduleIds) inlined.add(id);
    assertNoDependencies(chunk, output, () => false);
  }
}

/** @param {Record<string, string>} input */
async function declarations(input) {
  const bundled = await rollup({
    input,
    external: [/^node:/, ...typeImports],
    // Otherwise an unresolved import would become a package that users have to install.
    onwarn(warning) {
      if (warning.code !== "EMPTY_BUNDLE") throw new Error(warning.message);
    },
    plugins: [dts({ tsconfig: "tsconfig.json", includeExternal: ["@agentclientprotocol/sdk"] })],
  });
  for (const { folder, ending } of [
    { folder: "", ending: ".d.ts" },
    { folder: "cjs/", ending: ".d.cts" },
  ]) {
    const { output } = await bundled.generate({
      dir: staging,
      format: "es",
      entryFileNames: `${folder}[name]${ending}`,
      chunkFileNames: `${folder}chunks/[name]-[hash]${ending}`,
    });
    await Promise.all(output.map((chunk) => writeDeclaration(chunk, output)));
  }
  await bundled.close();
}

/**
 * @param {import("rollup").OutputChunk | import("rollup").OutputAsset} chunk
 * @param {readonly { fileName: string }[]} output
 */
async function writeDeclaration(chunk, output) {
  if (chunk.type !== "chunk") return;
  for (const id of chunk.moduleIds) inlined.add(id);
  const allowed = chunk.name === "ai" ? typeImports : [];
  assertNoDependencies(chunk, output, (name) => isBuiltin(name) || allowed.includes(name));
  const file = join(staging, chunk.fileName);
  await mkdir(dirname(file), { recursive: true });
  const code = withDisposableLib(describeLiterals(acceptUndefined(chunk.code)));
  await writeFile(file, file.endsWith(".cts") ? withResolutionMode(code) : code);
}

/**
 * Throws if a chunk imports a package: Dragoman has no dependencies.
 * @param {{ fileName: string, imports: string[], dynamicImports: string[] }} chunk
 * @param {readonly { fileName: string }[]} output
 * @param {(name: string) => boolean} isAllowed
 */
function assertNoDependencies(chunk, output, isAllowed = isBuiltin) {
  const lazy = chunk.dynamicImports.filter((name) => !optional.includes(name));
  for (const name of [...chunk.imports, ...lazy]) {
    if (isAllowed(name) || output.some((other) => other.fileName === name)) continue;
    throw new Error(`${chunk.fileName} would import "${name}", which users do not have`);
  }
}

/**
 * CommonJS declarations have to say that they import types from a package that is an ES module.
 * @param {string} code
 */
function withResolutionMode(code) {
  const names = typeImports.join("|");
  return code.replaceAll(
    new RegExp(`^import (?:type )?(\\{[^}]*\\} from ['"](?:${names})['"]);`, "gm"),
    'import type $1 with { "resolution-mode": "import" };',
  );
}

/**
 * `await using` needs a lib that older targets lack. This reference saves users from configuring it.
 * @param {string} code
 */
function withDisposableLib(code) {
  const needed = /\bSymbol\.(?:asyncDispose|dispose)\b|\b(?:Async)?Disposable\b/.test(code);
  return needed ? `/// <reference lib="esnext.disposable" />\n${code}` : code;
}
