import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { run } from "../../support/run.ts";
import { foldersForEach } from "../setup.ts";

const folders = foldersForEach();

const LOG = "2030-01-01 started \u001b]0;title\u0007\u001b[2J\u202e\n";

it.each([
  [true, "2030-01-01 started ␛]0;title␇␛[2J<U+202E>\n"],
  [false, LOG],
])("prints the log of the hub so that it cannot act on a terminal (%s)", async (stdoutTty, out) => {
  const folder = join(folders.home, ".local/state/dragoman/hub");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "hub.log"), LOG);
  const env = { XDG_RUNTIME_DIR: folders.home, TMPDIR: folders.home };
  expect(await run(["hub", "logs"], { ...folders, env, stdoutTty })).toMatchObject({
    code: 0,
    out,
  });
});
