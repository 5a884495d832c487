import { columnsOf, withoutStyles } from "./columns.ts";
import type { Environment } from "../../shell/io.ts";

/** Rows that are drawn below the output. They fit into the width of the terminal, unless they are code. */
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
  readonly isAtEnd: boolean;
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
    this.#drawn = { rows, widths, row, column, isAtEnd: cursor === undefined, columns };
    const text = rows.join("\r\n");
    return cursor === undefined ? text : `${text}${up(last - row)}\r${right(column)}`;
  }

  /** Draws rows in place of those that are there. Writes only what differs. */
  redraw(live: AreaRows, columns: number): string {
    const drawn = this.#drawn;
    const { rows } = live;
    if (drawn === undefined || drawn.columns !== columns || rows.length === 0)
      return this.erase(columns) + this.draw(live, columns);
    const erased = this.erase(columns);
    const whole = this.draw(live, columns);
    const now = this.#drawn ?? drawn;
    const added = drawn.isAtEnd && now.isAtEnd ? addedTo(drawn.rows, rows) : undefined;
    if (added !== undefined) return added;
    // Code may take several rows of the terminal, and no sequence moves the cursor past its edge.
    const isWide = [...drawn.widths, ...now.widths].some((width) => width > columns);
    if (isWide || (now.isAtEnd && now.column >= columns)) return erased + whole;
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
    let left = height;
    const first = this.#heights(columns).findLastIndex((rows) => {
      const isAbove = left <= 0;
      left -= rows;
      return isAbove;
    });
    return first + 1;
  }

  /** Forgets the first rows, of which at least a part is above these rows of the terminal. Returns how many. */
  forgetAbove(columns: number, height: number): number {
    const drawn = this.#drawn;
    if (drawn === undefined) return 0;
    const last = drawn.rows.length - 1;
    let room = height;
    const gone =
      this.#heights(columns).findLastIndex((rows, at) => (room -= rows) < 0 && at < last) + 1;
    const [rows, widths] = [drawn.rows.slice(gone), drawn.widths.slice(gone)];
    this.#drawn = { ...drawn, rows, widths, row: drawn.row - gone };
    return gone;
  }

  /** Leaves the rows as they are. The next ones are drawn elsewhere. */
  forget(): void {
    this.#drawn = undefined;
  }

  /** Erases the rows and leaves the cursor where they began. */
  erase(columns: number): string {
    const drawn = this.#drawn;
    if (drawn === undefined) return "";
    const above = this.#heights(columns)
      .slice(0, drawn.row)
      .reduce((sum, rows) => sum + rows, 0);
    this.#drawn = undefined;
    // At the edge, the cursor stays in the last column.
    const isAtEdge = drawn.column > 0 && drawn.column % drawn.columns === 0;
    const within = Math.floor((drawn.column - Number(isAtEdge)) / this.#width(drawn, columns));
    const rows = above + within;
    const isOne = rows === 0 && drawn.rows.length === 1;
    // tmux 3.3 keeps the text in its history if everything below the top left corner is erased at once.
    const rest = isOne ? "" : `${down(1)}\u001b[J${up(1)}`;
    return `${up(rows)}\r\u001b[K${rest}`;
  }

  /** How many rows of the terminal each row takes now. */
  #heights(columns: number): readonly number[] {
    const drawn = this.#drawn;
    if (drawn === undefined) return [];
    const width = this.#width(drawn, columns);
    return drawn.widths.map((columnsOfRow) => Math.max(1, Math.ceil(columnsOfRow / width)));
  }

  #width(drawn: Drawn, columns: number): number {
    return this.#reflows ? columns : drawn.columns;
  }
}

/** What to write after rows to turn them into others; undefined if they must change. */
function addedTo(old: readonly string[], rows: readonly string[]): string | undefined {
  const last = old.length - 1;
  const begin = old[last] ?? "";
  const isSame = old.every((row, index) => index === last || row === rows[index]);
  if (!isSame || rows[last]?.startsWith(begin) !== true) return undefined;
  return rows.slice(last).join("\r\n").slice(begin.length);
}

function up(rows: number): string {
  return rows > 0 ? `\u001b[${rows}A` : "";
}

function down(rows: number): string {
  return rows > 0 ? `\u001b[${rows}B` : "";
}

function right(columns: number): string {
  return columns > 0 ? `\u001b[${columns}C` : "";
}

/** Whether a terminal breaks its rows again when its width changes. Almost all do. */
export function reflowsOnResize(env: Environment): boolean {
  if ((env["TMUX"] ?? "") !== "") return true;
  return env["XTERM_VERSION"] === undefined && env["STY"] === undefined && env["TERM"] !== "linux";
}
