import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { run, scratch, type Scratch } from "../../support/run.ts";

let folders: Scratch;
beforeEach(async () => {
  folders = await scratch();
});
afterEach(() => folders.remove());

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
