import { execFileSync } from "node:child_process";
import { mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readNow } from "../../../../src/apps/droid-acp/turn/tool-relay.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dragoman-files-"));
  await writeFile(join(folder, "text"), "old\n");
  await writeFile(join(folder, "binary"), Buffer.from([1, 0, 2]));
  await writeFile(join(folder, "large"), "");
  await truncate(join(folder, "large"), 2 * 1024 * 1024 + 1);
  await symlink("/dev/zero", join(folder, "device"));
  execFileSync("mkfifo", [join(folder, "pipe")]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the text of a file that Droid is about to change", () => {
  it.each([
    ["text", "old\n"],
    ["gone", null],
    ["binary", undefined],
    ["large", undefined],
    ["device", undefined],
    ["pipe", undefined],
    [".", undefined],
  ])("of %s is %j", (name, text) => {
    expect(readNow(join(folder, name))).toBe(text);
  });
});
