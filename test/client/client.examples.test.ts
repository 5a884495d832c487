// Compiles the examples against the library and runs them unchanged.
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const examples = path("../../examples");
const agent = path("../support/agents/misbehaving.mjs");
let folder: string;
let found: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dragoman-examples-"));
  const home = join(folder, "node_modules/dragoman");
  await mkdir(home, { recursive: true });
  const manifest = { name: "dragoman", type: "module", exports: "./index.js" };
  await writeFile(join(home, "package.json"), JSON.stringify(manifest));
  const transform = { target: "node20.19" };
  await build({
    input: path("../../src/entries/dragoman.ts"),
    platform: "node",
    transform,
    output: { dir: home, format: "esm", entryFileNames: "index.js" },
    logLevel: "silent",
  });
  const entries = await readdir(examples, { withFileTypes: true });
  found = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  await Promise.all(
    found.map(async (file) => {
      const input = join(examples, file);
      if (file.endsWith(".mjs")) return cp(input, join(folder, file));
      const output = { dir: folder, format: "esm", entryFileNames: "[name].mjs" } as const;
      return build({
        input,
        platform: "node",
        transform,
        tsconfig: false,
        external: ["ai", "dragoman"],
        output,
        logLevel: "silent",
      });
    }),
  );
}, 60_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

const runs: readonly (readonly [string, readonly string[], readonly string[], string])[] = [
  ["ask.ts", ["hi"], ["well"], "you said: hi\n(end_turn)\n"],
  ["ask-plain.mjs", ["hi"], ["well"], "you said: hi\n"],
  ["cancel.ts", [], ["hang-prompt"], "received: thinking\ncancelled\n"],
  [
    "parallel.ts",
    [],
    ["well"],
    ["one", "two", "three"].map((word) => `you said: ${word}\n`).join(""),
  ],
  [
    "permissions.ts",
    [],
    ["ask-twice"],
    [
      "asked: tool_call of kind execute (t1); Yes, No",
      "asked: tool_call of kind execute (t1); Yes, No",
      '[{"outcome":"selected","optionId":"no"},{"outcome":"selected","optionId":"no"}]',
      "t1: pending",
      "",
    ].join("\n"),
  ],
  [
    "watch.ts",
    [],
    ["well"],
    "--- turn started\nsays: you said: Hello!\n--- turn ended: end_turn\n",
  ],
];

describe("the examples", () => {
  it.concurrent.each(runs)(
    "include %s, which prints what it should",
    async (file, first, mode, output) => {
      const script = join(folder, `${basename(file).replace(/\.\w+$/, "")}.mjs`);
      const args = [script, ...first, process.execPath, agent, ...mode];
      const { stdout, stderr } = await run(process.execPath, args, { cwd: folder });
      expect(stdout).toBe(output);
      expect(stderr).toBe("");
    },
  );

  it("are all run, either here or in the tests of the layers that they are about", () => {
    const files = [...runs.map(([file]) => file), "agent.ts", "ai.ts"];
    expect(found.toSorted()).toEqual(files.toSorted());
  });
});
