import { expect, it } from "vitest";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isOlderHub, adviseOnce } from "../../../../src/apps/cli/warm/hub-client.ts";
import { openContext } from "../../../../src/apps/cli/context/context.ts";
import { GRAMMAR } from "../../../../src/apps/cli/commands/grammar.ts";
import { fakeIo } from "../support/io.ts";
import { foldersForEach } from "../commands/setup.ts";

it.each([
  ["1.0.0", "1.0.1", true],
  ["1.9.0", "1.10.0", true],
  ["1.0.0-rc.1", "1.0.0", true],
  ["0.9.9", "1.0.0-rc.1", true],
  ["1.0.0", "1.0.0", false],
  ["1.0.0", "1.0.0-rc.1", false],
  ["2.0.0", "1.99.99", false],
])("%s is older than %s: %s", (version, than, isSo) => {
  expect(isOlderHub(version, than)).toBe(isSo);
});

const folders = foldersForEach();

async function advised(argv: readonly string[], stderrTty: boolean, home = folders.home) {
  const io = fakeIo({ home, stderrTty });
  const context = await openContext(io, GRAMMAR.parse(argv).values);
  await adviseOnce(context, "slow", 3210);
  context.dispose();
  return io.err.text;
}

it("is one line for a user at a terminal, and never comes again", async () => {
  expect(await advised([], true)).toMatch(/starting slow took 3\.2 s; with --warm 10m it stays/);
  expect(await advised([], true)).toBe("");
});

it("is not given in a pipe, beside events, or if it could not be remembered", async () => {
  expect(await advised([], false)).toBe("");
  expect(await advised(["-o", "events"], true)).toBe("");
  const file = join(folders.home, "file");
  await writeFile(file, "");
  expect(await advised([], true, file)).toBe("");
  expect(await advised([], true)).not.toBe("");
});
