// The package as bundlers for browsers see it, and the bundles where only the web platform exists.
import { copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import { rollup } from "rollup";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { webpack } from "webpack";
import { manifest, modules, node, unpackTarball, type Packed } from "../support/package.ts";

let packed: Packed;
let home: string;

beforeAll(async () => {
  packed = await unpackTarball();
  home = packed.home;
});

afterAll(() => packed.remove());

/** The files for browsers, by the names that users import. */
const browserEntries = Object.entries(manifest.exports).flatMap(([entry, conditions]) =>
  typeof conditions === "object" && conditions.browser
    ? [[entry.replace(/^\./, "dragoman"), conditions.browser.default] as const]
    : [],
);
const names = browserEntries.map(([name]) => name);

describe("the files for browsers", () => {
  it("exist for the client, the agent toolkit, the AI SDK and the channels", () => {
    expect(names).toEqual([
      "dragoman",
      "dragoman/agent",
      "dragoman/ai",
      "dragoman/protocol",
      "dragoman/tools",
      "dragoman/unstable",
      "dragoman/wire",
    ]);
  });

  it("import nothing but each other", async () => {
    const folder = join(home, "dist/browser");
    const found = await readdir(folder, { recursive: true });
    const files = found.filter((file) => file.endsWith(".js"));
    const imported = files.map(async (file) => {
      const text = await readFile(join(folder, file), "utf8");
      const specifiers = text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*["']([^"'\s()]+)["']/g);
      return [...specifiers].map(([, name = ""]) => name);
    });
    const all = (await Promise.all(imported)).flat();
    expect(all).not.toEqual([]);
    expect(all.filter((name) => !name.startsWith("./") && !name.startsWith("../"))).toEqual([]);
  });

  it.each(browserEntries)("of %s have the same names as the files for Node", async (name, file) => {
    const { resolve: find } = createRequire(join(packed.consumer, "x.js"));
    const forNode = (await import(find(name))) as object;
    const forBrowsers = (await import(join(home, file))) as object;
    expect(Object.keys(forBrowsers)).toEqual(Object.keys(forNode));
  });

  it.each(names)(
    "of %s are the ones that esbuild takes, and need no other module",
    async (name) => {
      const { metafile } = await build({
        stdin: { contents: `export * from "${name}";`, resolveDir: packed.consumer },
        bundle: true,
        platform: "browser",
        format: "esm",
        metafile: true,
        write: false,
        logLevel: "silent",
      });
      const files = Object.keys(metafile.inputs).filter((file) => file !== "<stdin>");
      expect(files).not.toEqual([]);
      expect(files.filter((file) => !file.includes("dist/browser/"))).toEqual([]);
      expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
    },
  );
});

/** Bundles a file of the consumer for a browser, as one script. */
type Bundler = (input: string, output: string) => Promise<unknown>;

const esbuildTo: Bundler = async (input, outfile) => {
  const options = { bundle: true, platform: "browser", format: "iife" } as const;
  const { warnings } = await build({
    ...options,
    logLevel: "silent",
    entryPoints: [input],
    outfile,
  });
  expect(warnings).toEqual([]);
};

const rollupTo: Bundler = async (input, file) => {
  const bundled = await rollup({
    input,
    onwarn: (warning) => {
      throw new Error(warning.message);
    },
    plugins: [
      {
        name: "packages",
        resolveId: (id) => {
          const entry = browserEntries.find(([name]) => name === id);
          return entry ? resolve(home, entry[1]) : null;
        },
      },
    ],
  });
  await bundled.write({ file, format: "iife" });
  await bundled.close();
};

const webpackTo: Bundler = async (input, file) => {
  const compiler = webpack({
    mode: "production",
    performance: false,
    optimization: { minimize: false },
    target: "web",
    entry: input,
    output: { path: dirname(file), filename: basename(file) },
  });
  if (!compiler) throw new Error("webpack made no compiler");
  const stats = await promisify(compiler.run.bind(compiler))();
  await promisify(compiler.close.bind(compiler))();
  if (!stats || stats.hasErrors() || stats.hasWarnings()) throw new Error(stats?.toString());
};

/** Everything that the bundle may use, apart from the language itself. */
const WEB_PLATFORM = {
  AbortController,
  AbortSignal,
  clearTimeout,
  crypto,
  DOMException,
  Event,
  EventTarget,
  MessageChannel,
  performance,
  queueMicrotask,
  ReadableStream,
  setTimeout,
  TextDecoder,
  TextEncoder,
  URL,
  WritableStream,
};

describe.each([
  ["esbuild", esbuildTo],
  ["rollup", rollupTo],
  ["webpack", webpackTo],
])("a program that %s bundled for browsers", (name, bundle) => {
  it("runs a turn where only the web platform exists, and says what it cannot do there", async () => {
    const folder = join(packed.scratch, `browser-${name}`);
    await mkdir(folder);
    const program = join(packed.consumer, "browser-program.js");
    await copyFile(new URL("../support/browser-program.mjs", import.meta.url), program);
    const file = join(folder, "main.js");
    await bundle(program, file);
    const context = createContext({ ...WEB_PLATFORM });
    runInContext(await readFile(file, "utf8"), context);
    const { answer, versions, lines, errors, isTyped } = (await context["finished"]) as {
      answer: string;
      versions: string[];
      lines: string[];
      errors: string[];
      isTyped: boolean;
    };
    expect(answer).toBe("HELLO");
    // The version that the client speaks, and then the agent.
    expect([...versions]).toEqual(["v1 v1", "v2 v2", "v1 v2", "v2 v1"]);
    expect([...lines]).toEqual(["one", "two"]);
    expect(isTyped).toBe(true);
    expect([...errors]).toEqual([
      'InvalidArgumentError: this runtime cannot start processes such as "droid-acp": pass a channel to a running agent',
      "InvalidArgumentError: this runtime has no disk: a terminal provider needs an fs provider with realpath",
      "InvalidArgumentError: this runtime cannot start processes: pass a terminal provider of your own",
      'InvalidArgumentError: this runtime has no working folder: "notes.md" must be an absolute path or a URL',
      'SpawnError: cannot start "droid-acp": this runtime cannot start processes',
      "Error: this runtime has no stdin and stdout: use another channel",
      "TypeError: the agent definition needs localWorkspaces: false: this runtime has no disk",
    ]);
  });
});

describe("the types for browsers", () => {
  it("resolve with the condition that bundlers set, without the types of Node", async () => {
    const file = join(packed.consumer, "page.ts");
    await writeFile(
      file,
      `import { AcpClient, type VirtualFsProvider } from "dragoman";
import { serveAgent } from "dragoman/agent";
import { webSocketChannel } from "dragoman/wire";
export const provider: VirtualFsProvider = { realpath: (path) => path, readTextFile: () => "x" };
export async function ask(address: string): Promise<string> {
  const channel = webSocketChannel(new WebSocket(address));
  await using client = await AcpClient.start({ channel, fs: { provider } });
  const session = await client.newSession({ cwd: "/virtual" });
  return await session.prompt(document.title).text();
}
export const serve = serveAgent;
`,
    );
    const flags = ["--noEmit", "--strict", "--skipLibCheck", "false", "--ignoreConfig"];
    const resolution = ["--module", "esnext", "--moduleResolution", "bundler"];
    const conditions = ["--customConditions", "browser", "--types", ""];
    const lib = ["--target", "es2022", "--lib", "es2022,dom,esnext.disposable"];
    const tsc = join(modules, "typescript/bin/tsc");
    const result = await node(
      [tsc, ...flags, ...resolution, ...conditions, ...lib, file],
      packed.consumer,
    );
    expect(result).toEqual({ code: 0, output: "" });
  });
});
