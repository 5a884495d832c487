import { columnsOf, withoutStyles } from "./columns.ts";
import type { Environment } from "../../shell/io.ts";

/** Rows that are drawn below the output, each of which fits into the width of the terminal. */
export interface AreaRows {
  readonly rows: readonly string[];
  /** Where to leave the cursor. Default: after the last row. */
  readonly cursor?: { readonly row: number; readonly column: number } | undefined;
}

interface Drawn {
  readonly rows: readonly string[];
  readonly widths: readonly number[];
  readonly row: number;
  readonly column: number;
  readonly columns: number;
}

/**
 * The rows below the output that are redrawn in place. Returns the text to write; the caller writes it. A terminal that
 * becomes narrower breaks rows in two, so the number of rows to erase depends on the width at that time.
 */
export class LiveArea {
  readonly #reflows: boolean;
  #drawn: Drawn | undefined;

  constructor(reflows: boolean) {
    this.#reflows = reflows;
  }

  get isDrawn(): boolean {
    return this.#drawn !== undefined;
  }

  /** Draws rows. The cursor must be at the beginning of a row, and the area must be erased. */
  draw({ rows, cursor }: AreaRows, columns: number): string {
    if (rows.length === 0) return "";
    const widths = rows.map((row) => columnsOf(withoutStyles(row)));
    const last = rows.length - 1;
    const { row, column } = cursor ?? { row: last, column: widths[last] ?? 0 };
    this.#drawn = { rows, widths, row, column, columns };
    const text = rows.join("\r\n");
    return cursor === undefined ? text : `${text}${up(last - row)}\r${right(column)}`;
  }

  /** Draws rows in place of those that are there. Writes only the rows that differ. */
  redraw(live: AreaRows, columns: number): string {
    const drawn = this.#drawn;
    const { rows } = live;
    if (drawn === undefined || drawn.columns !== columns || rows.length === 0)
      return this.erase(columns) + this.draw(live, columns);
    this.draw(live, columns);
    const now = this.#drawn ?? drawn;
    let text = "";
    let at = drawn.row;
    const goTo = (row: number): void => {
      text += row < at ? up(at - row) : "\r\n".repeat(row - at);
      at = row;
    };
    rows.forEach((row, index) => {
      if (row === drawn.rows[index]) return;
      goTo(index);
      text += `\r\u001b[K${row}`;
    });
    if (drawn.rows.length > rows.length) {
      goTo(rows.length);
      text += "\r\u001b[J";
    }
    const isSame = text === "" && now.row === drawn.row && now.column === drawn.column;
    if (isSame) return "";
    goTo(now.row);
    return `${text}\r${right(now.column)}`;
  }

  /** How many of the first rows have left the top of the screen, because the terminal was resized. */
  rowsAbove(columns: number, height: number): number {
    const { widths = [], columns: drawn = columns } = this.#drawn ?? {};
    const width = this.#reflows ? columns : drawn;
    let left = height;
    const first = widths.findLastIndex((columnsOfRow) => {
      const isAbove = left <= 0;
      left -= heightOf(columnsOfRow, width);
      return isAbove;
    });
    return first + 1;
  }

  /** Erases the rows and leaves the cursor where they began. */
  erase(columns: number): string {
    const drawn = this.#drawn;
    this.#drawn = undefined;
    if (drawn === undefined) return "";
    const width = this.#reflows ? columns : drawn.columns;
    const above = drawn.widths
      .slice(0, drawn.row)
      .reduce((sum, columnsOfRow) => sum + heightOf(columnsOfRow, width), 0);
    // At the edge, the cursor stays in the last column.
    const within = Math.floor(Math.max(0, Math.min(drawn.column, drawn.columns - 1)) / width);
    const rows = above + within;
    const isOne = rows === 0 && drawn.rows.length === 1;
    // tmux 3.3 keeps the text in its history if everything below the top left corner is erased at once.
    const rest = isOne ? "" : `${down(1)}\u001b[J${up(1)}`;
    return `${up(rows)}\r\u001b[K${rest}`;
  }
}

/** Whether a terminal breaks its rows again when its width changes. Almost all do. */
export function reflowsOnResize(env: Environment): boolean {
  if ((env["TMUX"] ?? "") !== "") return true;
  return env["XTERM_VERSION"] === undefined && env["STY"] === undefined && env["TERM"] !== "linux";
}

/** How many rows of a terminal a row of text takes. */
export function heightOf(columnsOfRow: number, width: number): number {
  return Math.max(1, Math.ceil(columnsOfRow / width));
}

/** Moves the cursor up. */
export function up(rows: number): string {
  return rows > 0 ? `\u001b[${rows}A` : "";
}

/** Moves the cursor down. */
export function down(rows: number): string {
  return rows > 0 ? `\u001b[${rows}B` : "";
}

/** Moves the cursor to the right. */
export function right(columns: number): string {
  return columns > 0 ? `\u001b[${columns}C` : "";
}
