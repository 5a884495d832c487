import { readFile, stat } from "node:fs/promises";
import { expect, it } from "vitest";
import { HubLog, logFiles } from "../../../../src/apps/cli/warm/hub-log.ts";
import { foldersForEach } from "../commands/setup.ts";

const folders = foldersForEach();

it("is private, has one line for each event, and cannot act on a terminal", async () => {
  const log = new HubLog(folders.home);
  log.line("one\ntwo \u001b[31mred");
  const [, newer] = logFiles(folders.home);
  expect(await readFile(newer, "utf8")).toMatch(/^\S+Z \d+ one two .*red\n$/);
  expect((await stat(newer)).mode & 0o777).toBe(0o600);
});

it("keeps two files of limited size", async () => {
  const log = new HubLog(folders.home, 1000);
  const second = new HubLog(folders.home, 1000);
  for (let n = 0; n < 200; n++) {
    log.line(`first ${n}`);
    second.line(`second ${n}`);
  }
  const [older, newer] = logFiles(folders.home);
  for (const file of [older, newer]) expect((await stat(file)).size).toBeLessThan(1100);
  const text = (await readFile(older, "utf8")) + (await readFile(newer, "utf8"));
  expect(text).toContain("first 199");
  expect(text).toContain("second 199");
});
