import { compareLists } from "../../compare.ts";

export interface DiffRow {
  readonly type: "same" | "added" | "removed" | "gap";
  /** The numbers of the line before and after; undefined where it does not exist. */
  readonly before: number | undefined;
  readonly after: number | undefined;
  readonly text: string;
}

/** More changed lines than this take too long to align. */
const MOST_EDITS = 3000;

const CONTEXT = 3;

/** Compares two texts line by line, with three lines around each change. */
export function lineDiff(before: string | null | undefined, after: string): readonly DiffRow[] {
  const rows = allRows(linesOf(before ?? ""), linesOf(after));
  const isNear = nearChanges(rows);
  const shown: DiffRow[] = [];
  for (const [index, row] of rows.entries()) {
    if (isNear[index] === true) shown.push(row);
    else if (shown.at(-1)?.type !== "gap") shown.push(GAP);
  }
  // Nothing was left out if the texts are the same.
  return shown.every(({ type }) => type === "gap") ? [] : shown;
}

function allRows(before: string[], after: string[]): readonly DiffRow[] {
  let [atBefore, atAfter] = [1, 1];
  return compareLists(before, after, MOST_EDITS).flatMap(({ isSame, a, b }): readonly DiffRow[] =>
    isSame
      ? a.map((text) => ({ type: "same", before: atBefore++, after: atAfter++, text }))
      : [
          ...a.map((text) => ({ ...GAP, type: "removed" as const, before: atBefore++, text })),
          ...b.map((text) => ({ ...GAP, type: "added" as const, after: atAfter++, text })),
        ],
  );
}

/** Whether each row is a change or close to one. */
function nearChanges(rows: readonly DiffRow[]): readonly boolean[] {
  const near = rows.map(() => false);
  for (const [index, { type }] of rows.entries())
    if (type !== "same") near.fill(true, Math.max(0, index - CONTEXT), index + CONTEXT + 1);
  return near;
}

/** The newline at the end is not a line of its own. */
function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

const GAP: DiffRow = { type: "gap", before: undefined, after: undefined, text: "" };

export function diffCounts(rows: readonly DiffRow[]): {
  readonly added: number;
  readonly removed: number;
} {
  const of = (type: DiffRow["type"]): number => rows.filter((row) => row.type === type).length;
  return { added: of("added"), removed: of("removed") };
}
