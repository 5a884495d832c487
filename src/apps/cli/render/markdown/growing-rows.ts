import { type ScreenSize, DRAFT_SHARE } from "../terminal/bottom.ts";
import { heightOf, right, up } from "../terminal/live-area.ts";
import type { Row } from "../terminal/spans.ts";
import type { Screen } from "../terminal/screen.ts";

/**
 * The rows of a block that is still growing. Each change returns the text that turns the old rows into
 * the new ones, and leaves the cursor at their end. Rows that have left the screen stay as they are.
 */
export class LiveRows {
  /** Whether the terminal breaks its rows again when its width changes. */
  readonly #reflows: boolean;
  #rows: readonly Row[] = [];
  /** How many rows have left the screen. */
  #gone = 0;
  #columns = 0;

  constructor(reflows: boolean) {
    this.#reflows = reflows;
  }

  /** The width that the rows must be made for: while some of them cannot be drawn again, it stays. */
  columnsFor({ columns }: ScreenSize): number {
    return this.#gone > 0 ? this.#columns : columns;
  }

  /** Replaces the rows. */
  update(rows: readonly Row[], size: ScreenSize): string {
    const next = rows.slice(this.#gone);
    if (this.#gone > 0 && next.length === 0) return "";
    const text = this.#change(next, size.columns);
    if (this.#gone === 0) this.#columns = size.columns;
    this.#rows = next;
    this.#forgetGone(size);
    return text;
  }

  /** Replaces the rows for the last time. The cursor is then at the beginning of a new row. */
  finish(rows: readonly Row[], size: ScreenSize): string {
    const text = this.update(rows, size);
    const isEmpty = this.#rows.length === 0;
    this.#rows = [];
    this.#gone = 0;
    return isEmpty ? text : `${text}\n`;
  }

  #change(next: readonly Row[], columns: number): string {
    const isResized = this.#gone === 0 && columns !== this.#columns;
    const same = isResized ? 0 : commonLength(this.#rows, next);
    if (same === this.#rows.length) {
      const added = next.slice(same).map(({ text }) => text);
      return (same > 0 && added.length > 0 ? "\n" : "") + added.join("\n");
    }
    const last = this.#rows.at(-1);
    const grown = next[same];
    const isLast = !isResized && same === this.#rows.length - 1;
    if (isLast && last !== undefined && grown?.text.startsWith(last.text) === true)
      return textsOf(next.slice(same)).slice(last.text.length);
    // If nothing replaces the changed rows, the row before them is written again, for the cursor's sake.
    const from = next.length === same && same > 0 ? same - 1 : same;
    const old = this.#height(this.#rows.slice(from), columns);
    return replaced(next.slice(from), old, columns);
  }

  /** How many rows of the terminal these rows take now. */
  #height(rows: readonly Row[], columns: number): number {
    return heightOfAll(rows, this.#reflows ? columns : this.#columns);
  }

  #forgetGone({ columns, rows: height }: ScreenSize): void {
    let room = Math.max(1, height - 1);
    let first = this.#rows.length;
    for (const row of this.#rows.toReversed()) {
      room -= this.#height([row], columns);
      if (room < 0 && first < this.#rows.length) break;
      first--;
    }
    this.#gone += first;
    this.#rows = this.#rows.slice(first);
  }
}

/**
 * Writes rows over `old` rows of the terminal, the last of which has the cursor. Erases row by row:
 * tmux 3.3 keeps everything that one sequence erases from the top of the screen on.
 */
function replaced(rows: readonly Row[], old: number, columns: number): string {
  const left = Math.max(0, old - heightOfAll(rows, columns));
  const text = rows.map((row) => CLEAR + row.text).join("\n");
  if (left === 0) return `${up(old - 1)}\r${text}`;
  if (rows.length === 0)
    return `${up(old - 1)}\r${CLEAR}${`\n${CLEAR}`.repeat(old - 1)}${up(old - 1)}\r`;
  const column = rows.at(-1)?.columns ?? 0;
  const back = `\r${right(column)}`;
  return `${up(old - 1)}\r${text}${`\n${CLEAR}`.repeat(left)}${up(left)}${back}`;
}

const CLEAR = "\u001b[K";

function heightOfAll(rows: readonly Row[], columns: number): number {
  return rows.reduce((sum, row) => sum + heightOf(row.columns, columns), 0);
}

function textsOf(rows: readonly Row[]): string {
  return rows.map(({ text }) => text).join("\n");
}

function commonLength(a: readonly Row[], b: readonly Row[]): number {
  const limit = Math.min(a.length, b.length);
  let length = 0;
  while (length < limit && a[length]?.text === b[length]?.text) length++;
  return length;
}

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
