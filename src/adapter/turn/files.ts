import { readFileSync, statSync } from "node:fs";
import type { FileText } from "../translate/diffs.ts";

/** Larger files are not shown as whole-file diffs, which nobody would read. */
const LIMIT_BYTES = 2 * 1024 * 1024;

/**
 * Reads a text file synchronously, because Droid is about to change it. Returns null if there is no
 * file, and undefined if it is too large or not text.
 */
export function readNow(path: string): FileText {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats) return null;
    if (!stats.isFile() || stats.size > LIMIT_BYTES) return undefined;
    const text = readFileSync(path, "utf8");
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}
