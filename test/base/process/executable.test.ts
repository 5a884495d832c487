import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isExecutable } from "../../../src/base/process/spawn.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dragoman-executable-"));
  await writeFile(join(folder, "program"), "#!/bin/sh\n");
  await chmod(join(folder, "program"), 0o755);
  await writeFile(join(folder, "plain.txt"), "not a program");
});
afterAll(() => rm(folder, { recursive: true }));

describe("isExecutable", () => {
  it.each([
    { what: "a file with an execute bit", path: "program", is: true },
    { what: "a file without one", path: "plain.txt", is: false },
    { what: "a folder", path: ".", is: false },
    { what: "a path that does not exist", path: "missing", is: false },
    { what: "a path below a file", path: "plain.txt/program", is: false },
  ])("is $is for $what", async ({ path, is }) => {
    expect(await isExecutable(join(folder, path))).toBe(is);
  });
});
