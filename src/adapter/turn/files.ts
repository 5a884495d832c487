import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import type { FileText } from "../translate/diffs.ts";

/** Larger files are not shown as whole-file diffs, which would be too long to read. */
const LIMIT_BYTES = 2 * 1024 * 1024;

/**
 * Reads a text file synchronously, because Droid is about to change it. Returns null if there is no
 * file, and undefined if it is too large or not text.
 */
export function readNow(path: string): FileText {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats) return null;
    return stats.isFile() ? textOf(openSync(path, READ_ONLY)) : undefined;
  } catch {
    return undefined;
  }
}

/** Non-blocking, because a pipe may have taken the place of the file. */
const READ_ONLY = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Checks the opened file itself, and closes it. */
function textOf(file: number): string | undefined {
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.size > LIMIT_BYTES) return undefined;
    const text = readFileSync(file, "utf8");
    return text.includes("\0") ? undefined : text;
  } finally {
    closeSync(file);
  }
}
