import { columnsOf } from "../terminal/columns.ts";
import { wrapWords } from "../terminal/spans.ts";
import { sanitizeLine } from "../../../../base/index.ts";
import type { OutputMode } from "../../shell/option-values.ts";
import { eventLine } from "../json/events.ts";
import type { Renderer } from "../renderer.ts";
import type { Screen } from "../terminal/screen.ts";

const GAP = 2;

/** The least width in which the last column is readable next to the others. */
const LEAST_LAST = 24;

/**
 * Rows in aligned columns, made safe for a terminal. The text of the last column may have any length.
 * Within a width it is wrapped; if there is too little room, it goes below its row, and if even the
 * other columns do not fit, so does each of them. Nothing is cut. Without a width, as in a pipe, every
 * row is one line.
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  width?: number,
): string {
  const safe = [head, ...rows].map((row) => row.map(sanitizeLine));
  const widths = head.map((_, column) =>
    Math.max(...safe.map((row) => columnsOf(row[column] ?? ""))),
  );
  const lines = safe.flatMap((row, index) => layOut(row, widths, width, index === 0));
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}

function layOut(
  row: readonly string[],
  widths: readonly number[],
  width: number | undefined,
  isHead: boolean,
): readonly string[] {
  const before = widths.slice(0, -1).reduce((sum, column) => sum + column + GAP, 0);
  const last = row.at(-1) ?? "";
  const left = row.slice(0, -1).map((cell, column) => padded(cell, (widths[column] ?? 0) + GAP));
  const fits = width === undefined || before + (widths.at(-1) ?? 0) <= width;
  if (fits) return [left.join("") + last];
  if (before + LEAST_LAST <= width) {
    const [first = "", ...more] = wrapWords(last, width - before);
    return [left.join("") + first, ...more.map((line) => " ".repeat(before) + line)];
  }
  if (before - GAP <= width) return [left.join(""), ...(isHead ? [] : below(last, width))];
  if (isHead) return [];
  const [name = "", ...others] = row;
  return [...wrapWords(name, Math.max(2, width)), ...others.flatMap((cell) => below(cell, width))];
}

function below(cell: string, width: number): readonly string[] {
  return cell === "" ? [] : wrapWords(cell, Math.max(2, width - 4)).map((line) => `    ${line}`);
}

/** Unlike `padEnd`, this counts terminal columns: a CJK character takes two. */
function padded(cell: string, width: number): string {
  return cell + " ".repeat(Math.max(0, width - columnsOf(cell)));
}

export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** The columns of a list by their heads: each a field of the items, or made from an item. */
export type Columns<T> = Readonly<
  Record<string, keyof T | ((item: T) => string | number | undefined)>
>;

/** A table with a row for each item. `width` is that of the terminal; without one, rows are not broken. */
export function listText<T>(items: readonly T[], columns: Columns<T>, width?: number): string {
  const cells = Object.values(columns);
  const rows = items.map((item) =>
    cells.map((cell) => String((typeof cell === "function" ? cell(item) : item[cell]) ?? "")),
  );
  return table(Object.keys(columns), rows, width);
}

/** The same below other text; nothing without items. */
export function listBelow<T>(items: readonly T[], columns: Columns<T>): string {
  return items.length === 0 ? "" : `\n${listText(items, columns)}`;
}

interface ListOutput {
  readonly mode: OutputMode;
  readonly renderer: Pick<Renderer, "note">;
  readonly screen: Pick<Screen, "json" | "answer" | "drained">;
}

/** Prints items: as events for programs; for people as text, or a note if there are none. */
export async function printItems(
  { mode, renderer, screen }: ListOutput,
  items: readonly object[],
  as: { readonly event: string; readonly none: string; readonly text: () => string },
): Promise<void> {
  if (mode === "events") for (const item of items) screen.json(eventLine(as.event, item));
  else if (items.length === 0) renderer.note(as.none);
  else screen.answer(as.text());
  await screen.drained();
}
