// The whole suite on the demo agent through the command line, as an author of an agent runs it.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parseReport } from "../../../src/conformance/check/index.ts";
import type { CheckReport } from "../../../src/conformance/check/check-report.ts";
import { buildBin, type BuiltBin } from "../../apps/cli/support/bin.ts";

let bin: BuiltBin;
let home: string;
beforeAll(async () => {
  [bin, home] = await Promise.all([buildBin(), mkdtemp(join(tmpdir(), "dragoman-demo-check-"))]);
}, 120_000);
afterAll(() => Promise.all([bin.remove(), rm(home, { recursive: true, force: true })]));

/** Checks the demo agent. Rejects unless the command exits with 0. */
async function checked(...words: readonly string[]): Promise<CheckReport> {
  const file = join(home, "report.json");
  const argv = [
    bin.file,
    "check",
    "-a",
    "demo",
    "--level",
    "warn",
    "--jobs",
    "6",
    "--json",
    file,
    ...words,
  ];
  await promisify(execFile)(process.execPath, argv, {
    cwd: home,
    env: { PATH: process.env["PATH"], HOME: home },
    maxBuffer: 16 * 1024 * 1024,
  });
  return parseReport(await readFile(file, "utf8"));
}

it.each([
  [1, 130],
  [2, 75],
])(
  "the demo agent keeps every requirement of version %i that applies",
  async (protocol, atLeast) => {
    const { summary } = await checked("--protocol", String(protocol));
    expect(summary).toMatchObject({ failed: 0, unstable: 0, fault: 0 });
    expect(summary.passed).toBeGreaterThan(atLeast);
  },
  240_000,
);
