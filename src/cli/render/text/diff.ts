import { createHash } from "node:crypto";
import { sanitiseLine } from "../terminal/sanitise.ts";
import type { Style } from "../terminal/style.ts";

export interface DiffText {
  readonly path: string;
  readonly oldText?: string | null | undefined;
  readonly newText: string;
}

/** A short key that is equal only for equal diffs. */
export function diffKey({ path, oldText, newText }: DiffText): string {
  const diff = JSON.stringify([path, oldText ?? null, newText]);
  return createHash("sha256").update(diff).digest("base64");
}

export interface DiffLines {
  readonly added: number;
  readonly removed: number;
  /** Lines ready to print, including `@@` lines. */
  readonly lines: readonly string[];
}

/** Comparing texts that share little takes quadratic time. Beyond this limit lines are only counted. */
const MAX_EDITS = 1000;

/**
 * The changes between two texts as coloured lines that are safe for a terminal. Shows at most `limit`
 * lines.
 */
export async function diffLines(diff: DiffText, style: Style, limit: number): Promise<DiffLines> {
  const { structuredPatch } = await import("diff");
  const patch = structuredPatch(diff.path, diff.path, diff.oldText ?? "", diff.newText, "", "", {
    context: 2,
    maxEditLength: MAX_EDITS,
  });
  if (patch === undefined) return replaced(diff);
  const lines: string[] = [];
  let added = 0;
  let removed = 0;
  for (const hunk of patch.hunks) {
    lines.push(
      style("cyan", `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`),
    );
    for (const line of hunk.lines) {
      if (line.startsWith("+")) added++;
      else if (line.startsWith("-")) removed++;
      if (!line.startsWith("\\")) lines.push(coloured(line, style));
    }
  }
  const rest = lines.length - limit;
  const shown = rest > 0 ? [...lines.slice(0, limit), style("dim", `… ${rest} more lines`)] : lines;
  return { added, removed, lines: shown };
}

/**
 * All changed lines of a diff, with their surroundings. Texts that share too little to be compared are
 * shown as a whole: all old lines, then all new ones.
 */
export async function wholeDiff(diff: DiffText, style: Style): Promise<readonly string[]> {
  const { lines, added, removed } = await diffLines(diff, style, Number.POSITIVE_INFINITY);
  if (lines.length > 0 || added + removed === 0) return lines;
  const all = (sign: string, text: string): readonly string[] =>
    text === "" ? [] : text.split("\n").map((line) => coloured(sign + line, style));
  return [...all("-", diff.oldText ?? ""), ...all("+", diff.newText)];
}

function coloured(line: string, style: Style): string {
  const safe = line.charAt(0) + sanitiseLine(line.slice(1));
  if (line.startsWith("+")) return style("green", safe);
  return line.startsWith("-") ? style("red", safe) : safe;
}

/** Counts all old lines as removed and all new lines as added, without comparing them. */
function replaced(diff: DiffText): DiffLines {
  const count = (text: string): number => (text === "" ? 0 : text.split("\n").length);
  return { added: count(diff.newText), removed: count(diff.oldText ?? ""), lines: [] };
}
