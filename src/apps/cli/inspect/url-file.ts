import { open, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { writeAtomically, hasCode, messageOf } from "../../../base/index.ts";
import { usageError } from "../shell/exit.ts";
import { readRegularFile } from "../shell/regular-file.ts";

/** An address that an earlier run left behind. */
const LEFT_BEHIND = /^(?:http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+\n)?$/;
const MAX_BYTES = 1024;

/**
 * Writes the address of the page to a file that only the user can read. It replaces an empty file and one with
 * an address of an earlier run, and no other. Returns a function that removes the file. Throws a usage error.
 */
export async function writeUrlFile(
  file: string,
  cwd: string,
  url: string,
): Promise<() => Promise<void>> {
  const path = resolve(cwd, file);
  try {
    if (!(await isReplaceable(path))) throw new Error("there is another file of that name");
    await writeAtomically(path, `${url}\n`);
  } catch (error) {
    throw usageError(`could not write --url-file ${file}: ${messageOf(error)}`);
  }
  return () => rm(path, { force: true }).catch(() => {});
}

async function isReplaceable(path: string): Promise<boolean> {
  try {
    return LEFT_BEHIND.test((await readRegularFile(path, MAX_BYTES)).toString("utf8"));
  } catch (error) {
    return hasCode(error, "ENOENT");
  }
}

/** Writes a new file that only the user can read. Rejects if there is a file of that name. */
export async function writeNewFile(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}
