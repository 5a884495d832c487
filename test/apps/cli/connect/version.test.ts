import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { versionOf } from "../../../../src/apps/cli/connect/version.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dragoman-version-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const version = async (script: string, ms?: number) => {
  const file = join(folder, "agent");
  await writeFile(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return versionOf(file, { cwd: folder, env: { PATH: process.env["PATH"] }, ms });
};

describe("the version of a program", () => {
  it.each([
    ["is the line that it prints", "echo 0.61.0", "0.61.0"],
    ["may come with its name", "echo agent version 1.2; echo more", "agent version 1.2"],
    ["may go to stderr", "echo 2.0.1 >&2", "2.0.1"],
    ["may follow warnings", "echo '(node:7) Warning: 1.0 is old' >&2; echo 3.1", "3.1"],
    ["counts although the program fails afterwards", "echo 4.5.6; exit 3", "4.5.6"],
    ["is known although the program does not end", "echo 5.0.0; exec sleep 60", "5.0.0"],
    ["needs no newline at the end", "printf 6.0.0", "6.0.0"],
    [
      "is not in a stack trace",
      "echo file:///a/1.2.3/x.mjs:20; echo Error: v1.2 x; exit 1",
      undefined,
    ],
    ["is unknown if it prints none", "echo unknown option", undefined],
  ])("%s", async (_, script, expected) => {
    expect(await version(script)).toBe(expected);
  });
  it("is unknown if it takes too long", async () => {
    expect(await version("exec sleep 60", 50)).toBeUndefined();
  });
  it("is unknown if there is no such program", async () => {
    expect(await versionOf(join(folder, "gone"), { cwd: folder, env: {} })).toBeUndefined();
  });
});
