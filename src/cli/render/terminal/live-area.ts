import { columnsOf, withoutStyles } from "./columns.ts";
import type { Environment } from "../../io.ts";

/** Rows that are drawn below the output, each of which fits into the width of the terminal. */
export interface LiveRows {
  readonly rows: readonly string[];
  /** Where to leave the cursor. Default: after the last row. */
  readonly cursor?: { readonly row: number; readonly column: number } | undefined;
}

interface Drawn {
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
  draw({ rows, cursor }: LiveRows, columns: number): string {
    if (rows.length === 0) return "";
    const widths = rows.map((row) => columnsOf(withoutStyles(row)));
    const last = rows.length - 1;
    const { row, column } = cursor ?? { row: last, column: widths[last] ?? 0 };
    this.#drawn = { widths, row, column, columns };
    const text = rows.join("\r\n");
    return cursor === undefined ? text : `${text}${up(last - row)}\r${right(column)}`;
  }

  /** Erases the rows and leaves the cursor where they began. */
  erase(columns: number): string {
    const drawn = this.#drawn;
    this.#drawn = undefined;
    if (drawn === undefined) return "";
    const width = this.#reflows ? columns : drawn.columns;
    const above = drawn.widths
      .slice(0, drawn.row)
      .reduce((sum, columnsOfRow) => sum + Math.max(1, Math.ceil(columnsOfRow / width)), 0);
    // At the edge, the cursor stays in the last column.
    const within = Math.floor(Math.max(0, Math.min(drawn.column, drawn.columns - 1)) / width);
    return `${up(above + within)}\r\u001b[J`;
  }

  /** Forgets the rows, because something else has erased the terminal. */
  forget(): void {
    this.#drawn = undefined;
  }
}

/** Whether a terminal breaks its rows anew when its width changes. Almost all do. */
export function reflowsOnResize(env: Environment): boolean {
  if ((env["TMUX"] ?? "") !== "") return true;
  return env["XTERM_VERSION"] === undefined && env["STY"] === undefined && env["TERM"] !== "linux";
}

function up(rows: number): string {
  return rows > 0 ? `\u001b[${rows}A` : "";
}

function right(columns: number): string {
  return columns > 0 ? `\u001b[${columns}C` : "";
}
