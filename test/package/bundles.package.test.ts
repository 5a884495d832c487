// Applications that were bundled together with the package, such as extensions of VS Code.
import { copyFile, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { rollup } from "rollup";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { webpack } from "webpack";
import {
  BUDGET_FILE,
  CLIENT_TARGET,
  measureClient,
  measureSizes,
  overBudget,
  readBudget,
  statement,
} from "../../scripts/sizes.mjs";
import { fakeDroid } from "../support/fake-droid/index.ts";
import { entries, node, unpackTarball, type Packed } from "../support/package.ts";

type Format = "cjs" | "esm";

/** Bundles a file of the consumer for Node, without warnings. */
type Bundler = (input: string, output: string, format: Format) => Promise<unknown>;

const esbuild: Bundler = async (input, outfile, format) => {
  const options = { bundle: true, platform: "node", logLevel: "silent" } as const;
  const { warnings } = await build({ ...options, entryPoints: [input], outfile, format });
  expect(warnings).toEqual([]);
};

const rollupTo: Bundler = async (input, file, format) => {
  const { resolve } = createRequire(input);
  const bundled = await rollup({
    input,
    external: /^node:/,
    onwarn: (warning) => {
      throw new Error(warning.message);
    },
    plugins: [{ name: "packages", resolveId: (id) => (entries.includes(id) ? resolve(id) : null) }],
  });
  await bundled.write({ dir: dirname(file), entryFileNames: basename(file), format });
  await bundled.close();
};

const webpackTo: Bundler = async (input, file, format) => {
  const compiler = webpack({
    mode: "production",
    optimization: { minimize: false },
    target: "node20",
    entry: input,
    experiments: { outputModule: format === "esm" },
    output: {
      path: dirname(file),
      filename: basename(file),
      chunkFormat: format === "esm" ? "module" : "commonjs",
      library: { type: format === "esm" ? "module" : "commonjs2" },
    },
  });
  if (!compiler) throw new Error("webpack made no compiler");
  const stats = await promisify(compiler.run.bind(compiler))();
  await promisify(compiler.close.bind(compiler))();
  if (!stats || stats.hasErrors() || stats.hasWarnings()) throw new Error(stats?.toString());
};

const bundlers = { esbuild, rollup: rollupTo, webpack: webpackTo };
const bundles = Object.entries(bundlers).flatMap(([name, bundle]) =>
  (["cjs", "esm"] as const).map((format) => ({ name, bundle, format })),
);

let packed: Packed;
let program: string;
let nodeExe: string;

beforeAll(async () => {
  packed = await unpackTarball();
  program = join(packed.consumer, "program.js");
  await copyFile(new URL("../support/bundled-program.mjs", import.meta.url), program);
  nodeExe = process.execPath;
  if (nodeExe.endsWith(".exe")) return;
  nodeExe = join(packed.scratch, "node.exe");
  await symlink(process.execPath, nodeExe);
});

afterAll(() => packed.remove());

describe.each(bundles)("a program that $name bundled as $format", ({ name, bundle, format }) => {
  it("runs with every entry", async () => {
    const folder = join(packed.scratch, `${name}-${format}`);
    await mkdir(folder);
    // The format is the only thing that tells Node how to load the files of the bundle.
    const type = format === "esm" ? "module" : "commonjs";
    await writeFile(join(folder, "package.json"), JSON.stringify({ type }));
    const file = join(folder, "main.js");
    await bundle(program, file, format);
    const { executable = "" } = fakeDroid("0.225.2");
    expect(await node([file, "client", executable], folder)).toEqual({
      code: 0,
      output: "the agent heard one\nthe agent heard two\nYou said two\n",
    });
    expect(await node([file, "windows", nodeExe], folder)).toEqual({
      code: 0,
      output: "the process said three\n",
    });
  });
});

// Rollup by itself leaves `require` as it is.
it.each(bundles.filter(({ name }) => name !== "rollup"))(
  "a program that $name bundled as $format has each class once, imported or required",
  async ({ name, bundle, format }) => {
    const folder = join(packed.scratch, `once-${name}-${format}`);
    await mkdir(folder);
    const type = format === "esm" ? "module" : "commonjs";
    await writeFile(join(folder, "package.json"), JSON.stringify({ type }));
    await writeFile(join(packed.consumer, "part.cjs"), 'exports.part = require("dragoman");');
    const input = join(packed.consumer, "once.js");
    const code = `import { part } from "./part.cjs"; import { StartError } from "dragoman";
      console.log(part.StartError === StartError);`;
    await writeFile(input, code);
    await bundle(input, join(folder, "main.js"), format);
    expect(await node([join(folder, "main.js")], folder)).toEqual({ code: 0, output: "true\n" });
  },
);

it("no library file needs to know where it is, which a bundle could not tell it", async () => {
  const home = packed.home;
  const library = packed.shipped.filter((path) => /^dist\/(?!bin\/).*\.js$/.test(path));
  expect(library).not.toEqual([]);
  const texts = await Promise.all(library.map((path) => readFile(join(home, path), "utf8")));
  expect(
    library.filter((_, index) => /import\.meta|createRequire/.test(texts[index] ?? "")),
  ).toEqual([]);
});

describe("CommonJS without a bundler", () => {
  it.each(entries)("requires %s", async (entry) => {
    const file = join(packed.consumer, `${entry.replaceAll("/", "-")}.cjs`);
    await writeFile(file, `console.log(Object.keys(require("${entry}")).length > 0);`);
    expect(await node([file], packed.consumer)).toEqual({ code: 0, output: "true\n" });
  });
});

describe("a bundle of one error class", () => {
  // The types of the protocol come without errors.
  it.each(entries.filter((entry) => entry !== "dragoman/protocol"))(
    "from %s is small",
    async (entry) => {
      const { resolve } = createRequire(program);
      const names = Object.keys((await import(resolve(entry))) as object);
      const sizes = names
        .filter((name) => name.endsWith("Error"))
        .map(async (name) => {
          const stdin = {
            contents: `export { ${name} } from "${entry}";`,
            resolveDir: packed.consumer,
          };
          const options = { bundle: true, minify: true, format: "esm", platform: "node" } as const;
          const { outputFiles } = await build({ stdin, ...options, write: false });
          return { name, size: outputFiles[0]?.contents.length };
        });
      const found = await Promise.all(sizes);
      expect(found).not.toEqual([]);
      expect(found.filter(({ size = Infinity }) => size > 13_000)).toEqual([]);
    },
  );
});

it("a program that uses only AcpClient loads at most 200 kB when it starts", async () => {
  const sizes = await measureClient(packed.home);
  expect(sizes.map(({ platform }) => platform)).toEqual(["node", "browser"]);
  expect(sizes.filter(({ start }) => start > CLIENT_TARGET)).toEqual([]);
});

describe("the size of an entry", () => {
  it("stays within its budget", async () => {
    const sizes = await measureSizes(packed.home);
    const larger = overBudget(sizes, await readBudget());
    const lines = larger.map((name) => statement(name, sizes[name] ?? { minified: 0, gzip: 0 }));
    const advice = `Raise the budget with \`npm run bench -- sizes --write\`, which changes ${BUDGET_FILE}:\n${lines.join("\n")}`;
    expect(larger, advice).toEqual([]);
  });

  it("exceeds its budget if the entry grows by more than 10 %", () => {
    const budget = { a: { minified: 1000, gzip: 500 } };
    const grown = (minified: number, gzip: number): string[] =>
      overBudget({ a: { minified, gzip } }, budget);
    expect(grown(1100, 550)).toEqual([]);
    expect(grown(1101, 500)).toEqual(["a"]);
    expect(grown(1000, 551)).toEqual(["a"]);
    expect(overBudget({ b: { minified: 1, gzip: 1 } }, budget)).toEqual(["b"]);
  });
});
