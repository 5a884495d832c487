import type { ScreenSize } from "../shell/io.ts";
import { columnsOf, cutToColumns, graphemes, shownGrapheme } from "../render/terminal/columns.ts";
import type { AreaRows } from "../render/terminal/live-area.ts";
import { sanitizeLine } from "../../../base/index.ts";
import type { Style } from "../render/terminal/style.ts";
import type { EditBuffer } from "./buffer.ts";
import type { EditorState } from "./editor.ts";

const PROMPT = "> ";
const INDENT = "  ";
/** The text goes on above or below. */
const MORE = "⋮ ";
const MARK = "› ";
const GAP = 2;
const MOST_MENU_ROWS = 8;
const MOST_TEXT_ROWS = 12;
/** Of a line that is longer, only the part around the cursor is shown. */
const MAX_LINE = 4000;

/** The rows of the editor and its menu, and the position of the cursor. Pure. */
export function editorRows(state: EditorState, size: ScreenSize, style: Style): AreaRows {
  const { search, menu, buffer } = state;
  const height = Math.max(1, Math.min(MOST_TEXT_ROWS, Math.floor(size.rows / 2)));
  const { rows, cursor } = textRows(buffer, size.columns, height);
  const text = rows.map((row) => style("bold", row.slice(0, 2)) + row.slice(2));
  const width = size.columns - 1;
  if (search !== undefined) {
    const missing = search.query !== "" && search.found === undefined;
    const query = cutToColumns(`search: ${sanitizeLine(search.query)}`, width);
    const hint = missing
      ? style("dim", cutToColumns("  nothing found", width - columnsOf(query)))
      : "";
    return {
      rows: [...text, query + hint],
      cursor: { row: text.length, column: columnsOf(query) },
    };
  }
  const left = size.rows - text.length - 1;
  if (menu === undefined || left < 1) return { rows: text, cursor };
  const choices = menu.items.map(({ word, detail }) => ({ label: word, detail }));
  const most = Math.min(MOST_MENU_ROWS, left);
  const items = menuRows(choices, menu.index, { width, most, style }, MORE);
  return { rows: [...text, ...items], cursor };
}

interface TextRow {
  readonly text: string;
  readonly isFirst: boolean;
}

function textRows(
  { text, cursor }: EditBuffer,
  columns: number,
  most: number,
): Required<Pick<AreaRows, "rows">> & { readonly cursor: { row: number; column: number } } {
  const before = text.slice(0, cursor).split("\n");
  const above = before.slice(0, -1).slice(-most);
  const line = (before.at(-1) ?? "") + (/^[^\n]*/.exec(text.slice(cursor))?.[0] ?? "");
  const column = before.at(-1)?.length ?? 0;
  const below = linesAfter(text, cursor, most);
  // Everything that does not fit is cut off below, so lines above the cursor start the rows.
  const rows: TextRow[] = [];
  const isWhole = before.length - 1 <= above.length;
  const width = Math.max(1, columns - 1 - PROMPT.length);
  const add = (one: string, at?: number): { row: number; column: number } => {
    const start = rows.length;
    const wrapped = wrapLine(one, width, at ?? -1);
    wrapped.rows.forEach((row, index) =>
      rows.push({ text: row, isFirst: isWhole && start + index === 0 }),
    );
    return { row: start + wrapped.cursor.row, column: wrapped.cursor.column };
  };
  for (const one of above) add(one);
  const from = Math.max(0, Math.min(column - MAX_LINE / 2, line.length - MAX_LINE));
  const at = add(line.slice(from, from + MAX_LINE), column - from);
  for (const one of below) add(one);
  const start = Math.max(0, Math.min(at.row - most + 1, rows.length - most));
  const shown = rows.slice(start, start + most);
  const isCutAbove = start > 0 || !isWhole;
  return {
    rows: shown.map(({ text: row, isFirst }, index) => {
      const isCut =
        (index === 0 && isCutAbove) || (index === most - 1 && start + most < rows.length);
      return (isFirst ? PROMPT : isCut ? MORE : INDENT) + row;
    }),
    cursor: { row: at.row - start, column: at.column + PROMPT.length },
  };
}

function linesAfter(text: string, cursor: number, most: number): readonly string[] {
  const end = text.indexOf("\n", cursor);
  if (end === -1) return [];
  return text
    .slice(end + 1)
    .split("\n", most)
    .map((line) => line.slice(0, MAX_LINE));
}

function wrapLine(
  line: string,
  width: number,
  position: number,
): { readonly rows: readonly string[]; readonly cursor: { row: number; column: number } } {
  const rows: string[] = [];
  let row = "";
  let used = 0;
  let at = 0;
  let cursor = { row: 0, column: 0 };
  for (const one of graphemes(line)) {
    const shown = shownGrapheme(one);
    if (used + shown.columns > width && used > 0) {
      rows.push(row);
      row = "";
      used = 0;
    }
    if (at === position) cursor = { row: rows.length, column: used };
    row += shown.text;
    used += shown.columns;
    at += one.length;
  }
  if (at <= position) cursor = { row: rows.length, column: used };
  rows.push(row);
  return { rows, cursor };
}

/**
 * The rows of a list around the selected item, of which there are at most `most`. The labels form a column;
 * if they need most of the width, the details give way. `more` marks a last row that others follow.
 */
export function menuRows(
  items: readonly { readonly label: string; readonly detail: string }[],
  index: number,
  { width, most, style }: { readonly width: number; readonly most: number; readonly style: Style },
  more = INDENT,
): readonly string[] {
  const start = Math.max(0, Math.min(index - Math.floor(most / 2), items.length - most));
  const shown = items.slice(start, start + most);
  const labels = shown.map(({ label }) => sanitizeLine(label));
  const room = width - MARK.length;
  const column = Math.min(room, Math.max(0, ...labels.map(columnsOf)));
  const left = room - column - GAP;
  return shown.map(({ detail }, at) => {
    const label = cutToColumns(labels[at] ?? "", column);
    const about = left > GAP ? cutToColumns(sanitizeLine(detail), left) : "";
    const gap = " ".repeat(column - columnsOf(label) + GAP);
    const rest = about === "" ? "" : gap + style("dim", about);
    if (start + at === index) return style("cyan", MARK + label) + rest;
    const isLast = at === shown.length - 1 && start + most < items.length;
    return (isLast ? more : INDENT) + label + rest;
  });
}
