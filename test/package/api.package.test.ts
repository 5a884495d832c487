// The public interface as it is recorded in the repository: a report for reviewers in api/, a reference
// for users in docs/api.
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createTwoFilesPatch } from "diff";
import { afterAll, beforeAll, expect, it } from "vitest";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
let scratch: string;

async function runScript(name: string, ...args: readonly string[]): Promise<void> {
  await run(process.execPath, [join(root, "scripts", name), ...args]);
}

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "dragoman-api-"));
  await runScript("build.mjs", "--out", join(scratch, "dist"));
}, 120_000);

afterAll(() => rm(scratch, { recursive: true, force: true }));

/** The files of a folder that have an ending, by their paths in it. */
async function filesOf(folder: string, ending: string): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(folder, { recursive: true })).filter((name) =>
    name.endsWith(ending),
  );
  const texts = names.map(async (name) => {
    const text = await readFile(join(folder, name), "utf8");
    return [name.replaceAll("\\", "/"), text] as const;
  });
  return new Map(await Promise.all(texts));
}

/** Longest part of a diff that a failed test prints. */
const DIFF_LENGTH = 10_000;

/** How the files of a folder differ from fresh ones, and how to accept that. Empty if they do not. */
async function difference(
  recorded: string,
  script: string,
  ending: string,
  command: string,
): Promise<string> {
  const folder = join(scratch, recorded);
  await runScript(script, "--types", join(scratch, "dist"), "--out", folder);
  const [old, fresh] = await Promise.all([
    filesOf(join(root, recorded), ending),
    filesOf(folder, ending),
  ]);
  expect(fresh.size).toBeGreaterThan(3);
  const names = [...new Set([...old.keys(), ...fresh.keys()])].toSorted();
  const patches = names
    .filter((name) => old.get(name) !== fresh.get(name))
    .map((name) => {
      const path = `${recorded}/${name}`;
      return createTwoFilesPatch(path, path, old.get(name) ?? "", fresh.get(name) ?? "");
    });
  if (patches.length === 0) return "";
  const diff = patches.join("\n").slice(0, DIFF_LENGTH);
  return `${diff}\nRun \`${command}\`, and look at the diff of ${recorded} before you commit it.`;
}

it("the public interface is the one in api/", { timeout: 60_000 }, async () => {
  const found = await difference("api", "api-report.mjs", ".api.d.ts", "npm run api:report");
  expect(found, found).toBe("");
});

it("the API reference in docs/api is up to date", { timeout: 60_000 }, async () => {
  const found = await difference("docs/api", "api-docs.mjs", ".md", "npm run docs:api");
  expect(found, found).toBe("");
});
