// Runs every program of the cookbook, of the migration guide and of docs/v2.md, and compares what it prints.
import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildBin, type BuiltBin } from "./apps/cli/support/bin.ts";
import { recipesOf } from "./support/recipes.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../", import.meta.url));
const DOCUMENTS = ["docs/cookbook.md", "docs/migrating-from-the-sdk.md", "docs/v2.md"];

const documents = await Promise.all(
  DOCUMENTS.map(async (file) => ({
    file,
    recipes: recipesOf(await readFile(join(root, file), "utf8")),
  })),
);

let folder: string;
let bin: BuiltBin;

beforeAll(async () => {
  bin = await buildBin();
  folder = await mkdtemp(join(tmpdir(), "dragoman-recipes-"));
  await mkdir(join(folder, "bin"));
  const command = join(folder, "bin", "dragoman");
  await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${bin.file}" "$@"\n`);
  await chmod(command, 0o755);
  // The programs of the other side come from here.
  await symlink(join(root, "node_modules"), join(folder, "node_modules"), "dir");
}, 60_000);

afterAll(() => Promise.all([bin.remove(), rm(folder, { recursive: true, force: true })]));

/** Bundles a program with the library, and returns its file. */
async function compiled(code: string, name: string): Promise<string> {
  const outfile = join(folder, `${name}.mjs`);
  await build({
    stdin: { contents: code, loader: "ts", resolveDir: root },
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20.19",
    logLevel: "silent",
    external: ["@agentclientprotocol/sdk", "ws"],
    alias: Object.fromEntries(
      ["agent", "droid", "v2", "wire"].map((entry) => [
        `dragoman/${entry}`,
        join(root, `src/entries/${entry}.ts`),
      ]),
    ),
    plugins: [
      {
        name: "dragoman",
        setup: (plugin) => {
          plugin.onResolve({ filter: /^dragoman$/ }, () => ({
            path: join(root, "src/entries/dragoman.ts"),
          }));
        },
      },
    ],
  });
  return outfile;
}

describe.each(documents)("$file", ({ file, recipes }) => {
  it("has programs", () => {
    expect(recipes.length).toBeGreaterThan(0);
  });

  it.each(recipes)("$title prints what the page says", { timeout: 60_000 }, async (recipe) => {
    for (const [index, code] of recipe.programs.entries()) {
      const name = `${file}-${recipe.title}-${index}`.replaceAll(/\W/g, "-");
      const program = await compiled(code, name);
      const { stdout } = await run(process.execPath, [program], {
        cwd: folder,
        env: {
          ...process.env,
          HOME: folder,
          PATH: `${join(folder, "bin")}${delimiter}${process.env["PATH"] ?? ""}`,
        },
      });
      expect(stdout).toBe(recipe.output);
    }
  });
});
