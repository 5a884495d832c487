import { createHash } from "node:crypto";
import type { StructuredPatchHunk } from "diff";
import { sanitizeLine } from "../../../../base/index.ts";
import { plain, type Style } from "../terminal/style.ts";
import type { DiffLine, DiffText } from "./diff-colors.ts";

export type { DiffText } from "./diff-colors.ts";

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
 * The changes between two texts as colored lines that are safe for a terminal. Shows at most `limit`
 * lines.
 */
export async function diffLines(diff: DiffText, style: Style, limit: number): Promise<DiffLines> {
  const { structuredPatch } = await import("diff");
  const patch = structuredPatch(diff.path, diff.path, diff.oldText ?? "", diff.newText, "", "", {
    context: 2,
    maxEditLength: MAX_EDITS,
  });
  if (patch === undefined) return replaced(diff);
  const changes = patch.hunks.flatMap(changesOf);
  const count = (wanted: DiffLine["sign"]): number =>
    changes.filter(({ sign }) => sign === wanted).length;
  const rest = changes.length - limit;
  const shown = rest > 0 ? changes.slice(0, limit) : changes;
  const lines = await painted(shown, diff, style);
  if (rest > 0) lines.push(style("dim", `… ${rest} more lines`));
  return { added: count("+"), removed: count("-"), lines };
}

/**
 * All changed lines of a diff, with the lines around them. Texts that share too little to be compared are
 * shown as a whole: all old lines, then all new ones.
 */
export async function wholeDiff(diff: DiffText, style: Style): Promise<readonly string[]> {
  const { lines, added, removed } = await diffLines(diff, style, Number.POSITIVE_INFINITY);
  if (lines.length > 0 || added + removed === 0) return lines;
  const all = (sign: "+" | "-", text: string): readonly DiffLine[] =>
    text === "" ? [] : text.split("\n").map((line, index) => ({ sign, text: line, line: index }));
  const changes = [...all("-", diff.oldText ?? ""), ...all("+", diff.newText)];
  return painted(changes, diff, style);
}

/** Colors are loaded only where they show. */
async function painted(
  changes: readonly DiffLine[],
  diff: DiffText,
  style: Style,
): Promise<string[]> {
  if (style !== plain) return (await import("./diff-colors.ts")).colorChanges(changes, diff, style);
  return changes.map(({ sign, text }) => (sign === "@" ? "" : sign) + sanitizeLine(text));
}

function changesOf(hunk: StructuredPatchHunk): readonly DiffLine[] {
  const { oldStart, oldLines, newStart, newLines } = hunk;
  const head = `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`;
  let [old, now] = [oldStart - 1, newStart - 1];
  const changes: DiffLine[] = [{ sign: "@", text: head, line: 0 }];
  for (const line of hunk.lines) {
    const text = line.slice(1);
    if (line.startsWith("+")) changes.push({ sign: "+", text, line: now++ });
    else if (line.startsWith("-")) changes.push({ sign: "-", text, line: old++ });
    else if (!line.startsWith("\\")) {
      changes.push({ sign: " ", text, line: now++ });
      old++;
    }
  }
  return changes;
}

/** Counts all old lines as removed and all new lines as added, without comparing them. */
function replaced(diff: DiffText): DiffLines {
  const count = (text: string): number => (text === "" ? 0 : text.split("\n").length);
  return { added: count(diff.newText), removed: count(diff.oldText ?? ""), lines: [] };
}
