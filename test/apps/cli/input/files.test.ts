import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filesFor } from "../../../../src/apps/cli/input/files.ts";

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "dragoman-files-"));
  await mkdir(join(cwd, "src/deep"), { recursive: true });
  for (const name of ["README.md", "src/main.ts", "src/a b.ts", ".hidden", "evil\u001b]0;x"])
    await writeFile(join(cwd, name), "");
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

describe("completion of files", () => {
  it.each([
    ["everything but hidden files, folders first", "see @", ["@src/", "@README.md"]],
    ["a name without regard to case", "see @read", ["@README.md"]],
    [
      "the files of a folder, in quotation marks if they need them",
      "@src/",
      ["@src/deep/", '@"src/a b.ts"', "@src/main.ts"],
    ],
    ["a path in quotation marks", '@"src/a ', ['@"src/a b.ts"']],
    ["hidden files after a dot", "@.h", ["@.hidden"]],
    ["nothing in a folder that does not exist", "@nowhere/", []],
    ["files of the home folder", "@~/src/m", ["@~/src/main.ts"]],
    ["nothing in an email address", "me@read", undefined],
    ["nothing in other text", "read", undefined],
  ])("offers %s", (_what, text, words) => {
    const found = filesFor(text, text.length, { cwd, home: cwd });
    expect(found?.items.map(({ word }) => word)).toEqual(words);
  });
  it("replaces the whole mention", () => {
    expect(filesFor("see @read now", 9, { cwd, home: cwd })?.start).toBe(4);
  });
});
