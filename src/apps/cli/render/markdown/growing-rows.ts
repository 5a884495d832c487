import type { ScreenSize } from "../../shell/io.ts";
import { DRAFT_SHARE } from "../terminal/bottom.ts";
import { LiveArea } from "../terminal/live-area.ts";
import type { Screen } from "../terminal/screen.ts";

interface GrowingRow {
  readonly text: string;
}

/** The rows of a block that is still growing. Each change returns the text to write. */
export interface GrowingRows {
  /** The width that the rows must be made for: while some of them cannot be drawn again, it stays. */
  columnsFor(size: ScreenSize): number;
  update(rows: readonly GrowingRow[], size: ScreenSize): string;
  /** Replaces the rows for the last time. The cursor is then at the beginning of a new row. */
  finish(rows: readonly GrowingRow[], size: ScreenSize): string;
}

/** Redraws the rows with cursor movements. Rows that have left the screen stay as they are. */
export class LiveRows implements GrowingRows {
  readonly #area: LiveArea;
  /** How many rows have left the screen. */
  #gone = 0;
  #columns = 0;

  /** `reflows` says whether the terminal breaks its rows again when its width changes. */
  constructor(reflows: boolean) {
    this.#area = new LiveArea(reflows);
  }

  columnsFor({ columns }: ScreenSize): number {
    return this.#gone > 0 ? this.#columns : columns;
  }

  update(rows: readonly GrowingRow[], { columns, rows: height }: ScreenSize): string {
    const room = Math.max(1, height - 1);
    if (this.#gone === 0) this.#columns = columns;
    // A resize may have moved more of them off the screen.
    else this.#gone += this.#area.forgetAbove(columns, room);
    const next = rows.slice(this.#gone).map(({ text }) => text);
    if (this.#gone > 0 && next.length === 0) return "";
    const text = this.#area.redraw({ rows: next }, columns);
    this.#gone += this.#area.forgetAbove(columns, room);
    // The terminal is not in raw mode here, so that a line break also goes back to the first column.
    return text.replaceAll("\r\n", "\n");
  }

  finish(rows: readonly GrowingRow[], size: ScreenSize): string {
    const text = this.update(rows, size);
    const isEmpty = !this.#area.isDrawn;
    this.#area.forget();
    this.#gone = 0;
    return isEmpty ? text : `${text}\n`;
  }
}

/** Shows the rows as a draft above the footer of a chat, and writes those that are final. */
export class DraftRows implements GrowingRows {
  readonly #screen: Pick<Screen, "draft">;
  #gone = 0;
  #columns = 0;

  constructor(screen: Pick<Screen, "draft">) {
    this.#screen = screen;
  }

  columnsFor({ columns }: ScreenSize): number {
    return this.#gone > 0 ? this.#columns : columns;
  }

  update(rows: readonly GrowingRow[], { columns, rows: height }: ScreenSize): string {
    if (this.#gone === 0) this.#columns = columns;
    const rest = rows.slice(this.#gone);
    const final = rest.slice(0, Math.max(0, rest.length - Math.floor(height * DRAFT_SHARE)));
    this.#gone += final.length;
    this.#screen.draft({
      rows: rest.slice(final.length).map(({ text }) => text),
      onFinal: (count) => (this.#gone += count),
    });
    return linesOf(final);
  }

  finish(rows: readonly GrowingRow[]): string {
    const final = rows.slice(this.#gone);
    this.#gone = 0;
    this.#screen.draft({ rows: [] });
    return linesOf(final);
  }
}

function linesOf(rows: readonly GrowingRow[]): string {
  return rows.map(({ text }) => `${text}\n`).join("");
}
