// Programs that call `require`: in Node, and in tools that cannot load ES modules that way, such as Jest.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { entries, manifest, node, unpackTarball, type Packed } from "../support/package.ts";

let packed: Packed;

beforeAll(async () => {
  packed = await unpackTarball();
  await writeFile(join(packed.consumer, "same.cjs"), SAME);
  await writeFile(join(packed.consumer, "names.cjs"), NAMES);
  await writeFile(join(packed.consumer, "client.cjs"), CLIENT);
});

afterAll(() => packed.remove());

/** Compares every value that `require` and `import` return. */
const SAME = `
(async () => {
  for (const entry of ${JSON.stringify(entries)}) {
    const required = require(entry);
    const imported = await import(entry);
    for (const name of Object.keys(imported)) {
      if (required[name] !== imported[name]) console.log(entry, name);
    }
  }
})();`;

/** Prints the names that CommonJS lacks, and where `require` finds the first entry. */
const NAMES = `
(async () => {
  for (const entry of ${JSON.stringify(entries)}) {
    const required = require(entry);
    for (const name of Object.keys(await import(entry))) {
      if (!(name in required)) console.log(entry, name);
    }
  }
  console.log(require("node:path").relative(__dirname, require.resolve("dragoman")));
})();`;

/** Loads code on demand as well, which CommonJS has to do with `require`. */
const CLIENT = `
const { AcpClient, StartError } = require("dragoman");
(async () => {
  const [bin] = process.argv.slice(2);
  const client = await AcpClient.start({ command: process.execPath, args: [bin, "demo-agent"] });
  const session = await client.newSession({ cwd: process.cwd() });
  console.log((await session.prompt("/help").result).stopReason);
  await client.close();
  const missing = await AcpClient.start({ command: "./does-not-exist" }).catch((error) => error);
  console.log(missing instanceof StartError);
})();`;

describe("in Node", () => {
  it("require and import give the same values, so that instanceof works", async () => {
    expect(await node(["same.cjs"], packed.consumer)).toEqual({ code: 0, output: "" });
  });
});

// Node then resolves and loads like Jest: without ES modules, and with its two sets of conditions.
describe.each([["node"], ["browser"]])("a tool that loads only CommonJS, for %s", (condition) => {
  const flags = ["--no-experimental-require-module", `--conditions=${condition}`];

  it("gets every name of every entry", async () => {
    expect(await node([...flags, "names.cjs"], packed.consumer)).toEqual({
      code: 0,
      output: `${join("node_modules/dragoman/dist/cjs/dragoman.cjs")}\n`,
    });
  });

  it("talks to an agent", async () => {
    const bin = join(packed.home, manifest.bin["dragoman"] ?? "");
    expect(await node([...flags, "client.cjs", bin], packed.consumer)).toEqual({
      code: 0,
      output: "end_turn\ntrue\n",
    });
  });
});

it("no CommonJS file calls import, which Jest refuses", async () => {
  const files = packed.shipped.filter((path) => path.endsWith(".cjs"));
  expect(files.length).toBeGreaterThan(entries.length);
  const texts = await Promise.all(files.map((path) => readFile(join(packed.home, path), "utf8")));
  const calls = texts.map((text) => /^(?!\s*\/?\*).*\bimport\(/m.test(text));
  expect(files.filter((_, index) => calls[index])).toEqual([]);
});
