import { structuredPatch } from "diff";

/** One row of a diff. */
export interface DiffRow {
  readonly type: "same" | "added" | "removed" | "gap";
  /** The numbers of the line before and after; undefined where it does not exist. */
  readonly before: number | undefined;
  readonly after: number | undefined;
  readonly text: string;
}

/** More changed lines than this take too long to align. */
const MOST_EDITS = 3000;

/** Compares two texts line by line, with three lines around each change. */
export function lineDiff(before: string | null | undefined, after: string): readonly DiffRow[] {
  const patch = structuredPatch("", "", before ?? "", after, "", "", {
    context: 3,
    maxEditLength: MOST_EDITS,
  });
  const hunks = patch?.hunks ?? [wholeChange(before ?? "", after)];
  return hunks.flatMap(({ oldStart, newStart, lines }, index) => {
    let [atBefore, atAfter] = [oldStart, newStart];
    const rows = lines
      // A remark about the missing newline at the end.
      .filter((line) => !line.startsWith("\\"))
      .map((line): DiffRow => {
        const text = line.slice(1);
        if (line.startsWith("+"))
          return { type: "added", before: undefined, after: atAfter++, text };
        if (line.startsWith("-"))
          return { type: "removed", before: atBefore++, after: undefined, text };
        return { type: "same", before: atBefore++, after: atAfter++, text };
      });
    const isFirst = index === 0 && oldStart <= 1;
    return isFirst ? rows : [GAP, ...rows];
  });
}

const GAP: DiffRow = { type: "gap", before: undefined, after: undefined, text: "" };

function wholeChange(
  before: string,
  after: string,
): { readonly oldStart: number; readonly newStart: number; readonly lines: readonly string[] } {
  const lines = [
    ...before.split("\n").map((line) => `-${line}`),
    ...after.split("\n").map((line) => `+${line}`),
  ];
  return { oldStart: 1, newStart: 1, lines };
}

/** How many lines were added and removed. */
export function diffCounts(rows: readonly DiffRow[]): {
  readonly added: number;
  readonly removed: number;
} {
  const of = (type: DiffRow["type"]): number => rows.filter((row) => row.type === type).length;
  return { added: of("added"), removed: of("removed") };
}
