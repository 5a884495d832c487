import { DRAFT_SHARE, type ScreenSize } from "./bottom.ts";
import type { Screen } from "./screen.ts";

/** A row of a block. */
export interface DraftRow {
  readonly text: string;
}

/**
 * The rows of a block that is still growing, above the footer of a chat. Like rows that are redrawn with
 * cursor movements, it returns the text to write for good; the rest is a draft on the screen.
 */
export class DraftRows {
  readonly #screen: Pick<Screen, "draft">;
  #gone = 0;
  #columns = 0;

  constructor(screen: Pick<Screen, "draft">) {
    this.#screen = screen;
  }

  /** The width that the rows must be made for: while some of them are final, it stays. */
  columnsFor({ columns }: ScreenSize): number {
    return this.#gone > 0 ? this.#columns : columns;
  }

  /** Replaces the rows. */
  update(rows: readonly DraftRow[], { columns, rows: height }: ScreenSize): string {
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

  /** Replaces the rows for the last time. */
  finish(rows: readonly DraftRow[]): string {
    const final = rows.slice(this.#gone);
    this.#gone = 0;
    this.#screen.draft({ rows: [] });
    return linesOf(final);
  }
}

function linesOf(rows: readonly DraftRow[]): string {
  return rows.map(({ text }) => `${text}\n`).join("");
}
