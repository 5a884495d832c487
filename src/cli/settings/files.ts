import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { hasCode } from "../io.ts";
import { MIB, readRegularFile } from "../regular-file.ts";

/**
 * Writes a file so that readers see either the old or the new content, never a part of it. Only the
 * user can read the file. Rejects if it cannot be written.
 */
export async function writeAtomically(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const partial = `${path}.${randomUUID()}.partial`;
  try {
    await writeFile(partial, text, { mode: 0o600 });
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** The limit for settings. The files that Dragoman keeps for itself are smaller. */
export const MAX_SETTINGS_BYTES = MIB;

/**
 * The text of a regular file; undefined if the file does not exist. Rejects if it is anything else,
 * or larger than `maxBytes`. Default: 1 MiB.
 */
export async function readIfPresent(
  path: string,
  maxBytes = MAX_SETTINGS_BYTES,
): Promise<string | undefined> {
  try {
    return (await readRegularFile(path, maxBytes)).toString("utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return undefined;
    throw error;
  }
}
