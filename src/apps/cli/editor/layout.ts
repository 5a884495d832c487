import type { ScreenSize } from "../shell/io.ts";
import { columnsOf, cutToColumns } from "../render/terminal/columns.ts";
import type { AreaRows } from "../render/terminal/live-area.ts";
import { sanitiseLine } from "../render/terminal/sanitise.ts";
import type { Style } from "../render/terminal/style.ts";
import { type EditBuffer, graphemes, shownGrapheme } from "./buffer.ts";
import type { EditorState, Menu } from "./editor.ts";

const PROMPT = "> ";
const INDENT = "  ";
/** The text goes on above or below. */
const MORE = "⋮ ";
const MARK = "› ";
const MOST_MENU_ROWS = 8;
const MOST_TEXT_ROWS = 12;
/** Of a line that is longer, only the part around the cursor is shown. */
const MAX_LINE = 4000;

/** The rows of the editor and its menu, and the position of the cursor. Pure. */
export function editorRows(state: EditorState, size: ScreenSize, style: Style): AreaRows {
  const { search, menu, buffer } = state;
  const most = Math.max(1, Math.min(MOST_TEXT_ROWS, Math.floor(size.rows / 2)));
  const { rows, cursor } = textRows(buffer, size.columns, most);
  const text = rows.map((row) => style("bold", row.slice(0, 2)) + row.slice(2));
  const width = size.columns - 1;
  if (search !== undefined) {
    const missing = search.query !== "" && search.found === undefined;
    const query = cutToColumns(`search: ${sanitiseLine(search.query)}`, width);
    const hint = missing
      ? style("dim", cutToColumns("  nothing found", width - columnsOf(query)))
      : "";
    return {
      rows: [...text, query + hint],
      cursor: { row: text.length, column: columnsOf(query) },
    };
  }
  const left = size.rows - text.length - 1;
  const items = menu === undefined || left < 1 ? [] : menuRows(menu, width, left, style);
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

/** The next lines after the one with the cursor. */
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

function menuRows(menu: Menu, width: number, left: number, style: Style): readonly string[] {
  const { items, index } = menu;
  const most = Math.min(MOST_MENU_ROWS, left);
  const start = Math.max(0, Math.min(index - Math.floor(most / 2), items.length - most));
  const shown = items.slice(start, start + most);
  const room = width - MARK.length;
  const column = Math.min(room, Math.max(...shown.map(({ word }) => columnsOf(word))));
  return shown.map(({ word, detail }, at) => {
    const cut = cutToColumns(word, column);
    const gap = " ".repeat(column - columnsOf(cut) + 2);
    const rest = room - column - 2;
    const more =
      rest > 2 && detail !== "" ? gap + style("dim", cutToColumns(sanitiseLine(detail), rest)) : "";
    const isLast = at === shown.length - 1 && start + most < items.length;
    const sign = start + at === index ? MARK : isLast ? MORE : INDENT;
    return start + at === index ? style("cyan", sign + cut) + more : sign + cut + more;
  });
}
