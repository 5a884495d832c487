// The public interface: its report for reviewers in api/, and the reference that the package ships.
import { execFile } from "node:child_process";
import { cp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { createTwoFilesPatch } from "diff";
import { afterAll, beforeAll, expect, it } from "vitest";
import { entries, root, unpackTarball, type Packed } from "../support/package.ts";

let packed: Packed;

beforeAll(async () => {
  packed = await unpackTarball();
});

afterAll(() => packed.remove());

/** The reports in a folder, by name. */
async function reportsIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".api.d.ts"));
  const texts = names.map(
    async (name) => [name, await readFile(join(folder, name), "utf8")] as const,
  );
  return new Map(await Promise.all(texts));
}

/** Longest part of a diff that a failed test prints. */
const DIFF_LENGTH = 10_000;

it("the public interface is the one in api/", async () => {
  const folder = join(packed.scratch, "api");
  const script = join(root, "scripts/api-report.mjs");
  const types = join(packed.scratch, "dist");
  // To the report, declarations inside node_modules belong to others.
  await cp(join(packed.home, "dist"), types, { recursive: true });
  await promisify(execFile)(process.execPath, [script, "--types", types, "--out", folder]);
  const [old, fresh] = await Promise.all([reportsIn(join(root, "api")), reportsIn(folder)]);
  expect(fresh.size).toBe(entries.length);
  const patches = [...new Set([...old.keys(), ...fresh.keys()])]
    .toSorted()
    .filter((name) => old.get(name) !== fresh.get(name))
    .map((name) => {
      const path = `api/${name}`;
      return createTwoFilesPatch(path, path, old.get(name) ?? "", fresh.get(name) ?? "");
    });
  const advice = "Run `npm run docs -- report`, and look at the diff of api/ before you commit it.";
  expect(patches, `${patches.join("\n").slice(0, DIFF_LENGTH)}\n${advice}`).toEqual([]);
});

it("the package has a reference, with an index and a page for each entry", async () => {
  const folder = join(packed.home, "docs/api");
  const index = await readFile(join(folder, "README.md"), "utf8");
  for (const entry of entries) {
    expect(index).toContain(`[\`${entry}\`](${entry}.md)`);
    const page = await readFile(join(folder, `${entry}.md`), "utf8");
    expect(page, entry).toMatch(/^## (?:Functions|Classes|Interfaces|Type Aliases)$/m);
  }
});
