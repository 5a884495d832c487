import { readFileSync, statSync } from "node:fs";
import type { FileText } from "../translate/diffs.ts";

/** Larger files are not shown whole: nobody reads such a diff. */
const LIMIT_BYTES = 2 * 1024 * 1024;

/**
 * A text file as it is now. Read at once, not later: Droid is about to change it. Undefined for what
 * is too large, or no text.
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
