import { type Environment, type Output, type ScreenSize, outputSize } from "../../shell/io.ts";
import { LiveArea, type AreaRows, reflowsOnResize } from "./live-area.ts";
import { wrapRows, columnsOf, cutToColumns } from "./columns.ts";

/** Rows that stay below all output, such as the prompt that the user edits. */
export interface Footer {
  rows(size: ScreenSize): AreaRows;
  /** Stops reading keys, because a question uses the terminal. */
  pause(): void;
  resume(): void;
}

/** The end of the output that may still change. */
export interface Draft {
  readonly rows: readonly string[];
  /** Called when the first `count` rows became final, because the terminal was resized. */
  readonly onFinal?: ((count: number) => void) | undefined;
}

/** The part of the screen that a draft may take, because the rows below it need room. */
export const DRAFT_SHARE = 1 / 2;

const FRAME_MS = 100;
/** Work that ends sooner shows no spinner, except above a footer, which would jump. */
const DELAY_MS = 200;
/** The terminal shows everything between these at once. Those that do not know them ignore them. */
const BEGIN_UPDATE = "\u001b[?2026h";
const END_UPDATE = "\u001b[?2026l";

/**
 * Everything on a terminal that is redrawn in place, below the output that stays: the unfinished end
 * of the answer, the spinner and the footer.
 */
export class Bottom {
  readonly #output: Output;
  readonly #area: LiveArea;
  readonly #now: () => number;
  readonly #stopResize: () => void;
  #footer: Footer | undefined;
  /** Only above a footer. */
  draft: Draft = { rows: [] };
  /** How many rows of the terminal each row of the draft took when it was drawn. */
  #draftHeights: readonly number[] = [];
  #label: string | undefined;
  #since = 0;
  #frame = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Whether the spinner may be drawn: not on a line that holds the beginning of an answer. */
  #maySpin = true;
  #isSpinning = false;
  #isHidden = false;
  #isUpdating = false;

  constructor(output: Output, env: Environment, now: () => number) {
    this.#output = output;
    this.#now = now;
    this.#area = new LiveArea(reflowsOnResize(env));
    this.#stopResize = output.onResize(() => {
      if (!this.#area.isDrawn) return;
      this.#shortenDraft();
      this.#draw();
    });
  }

  get footer(): Footer | undefined {
    return this.#footer;
  }

  set footer(footer: Footer | undefined) {
    this.#footer = footer;
    this.#draw();
  }

  get columns(): number {
    return outputSize(this.#output).columns;
  }

  /** Sets the label of the spinner, which the caller has sanitized; undefined removes the spinner. */
  status(label: string | undefined): void {
    if (label !== this.#label) this.#since = this.#now();
    this.#label = label;
    this.#restart();
    if (this.#footer !== undefined || label === undefined) this.#draw();
  }

  /** Erases everything to make room for output. `show` brings it back. */
  clear(): void {
    if (!this.#area.isDrawn) return;
    this.#isUpdating = this.#footer !== undefined;
    this.#write(`${this.#isUpdating ? BEGIN_UPDATE : ""}${this.#area.erase(this.columns)}`);
  }

  /** Draws everything below the output. The spinner alone comes back after a delay. */
  show(maySpin: boolean): void {
    this.#maySpin = maySpin;
    this.#isSpinning = false;
    this.#restart();
    this.#draw();
  }

  redraw(): void {
    this.#draw();
  }

  /** Erases everything until `reveal`, for a question on the same terminal. */
  hide(): void {
    this.clear();
    this.#endUpdate();
    this.#isHidden = true;
    this.#footer?.pause();
  }

  reveal(): void {
    if (!this.#isHidden) return;
    this.#isHidden = false;
    this.#footer?.resume();
    this.#restart();
    this.#draw();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#stopResize();
  }

  #restart(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#label === undefined || this.#isHidden) return;
    if (!this.#maySpin && this.#footer === undefined) return;
    const wait = this.#isSpinning || this.#footer !== undefined ? FRAME_MS : DELAY_MS;
    this.#timer = setTimeout(() => this.#tick(), wait).unref();
  }

  #tick(): void {
    this.#frame++;
    this.#isSpinning = true;
    this.#draw();
    this.#restart();
  }

  #draw(): void {
    if (this.#isHidden) return;
    const { columns } = this;
    this.#write(this.#area.redraw(this.#rows(columns), columns));
    this.#endUpdate();
  }

  /** After a resize, the first rows of a draft are final if they have left the screen or leave too little room. */
  #shortenDraft(): void {
    const { rows, onFinal } = this.draft;
    if (onFinal === undefined || this.#isHidden) return;
    const { columns } = this;
    let above = this.#area.rowsAbove(columns, this.#height);
    let gone = 0;
    for (const height of this.#draftHeights) {
      if (height > above) break;
      above -= height;
      gone++;
    }
    let room = Math.floor(this.#height * DRAFT_SHARE);
    const kept = rows.findLastIndex((row) => (room -= wrapRows(row, columns).length) < 0) + 1;
    const final = Math.max(gone, kept);
    if (final === 0) return;
    const text = rows.slice(gone, final).map((row) => `${row}\r\n`);
    this.#write(this.#area.erase(columns) + text.join(""));
    this.draft = { rows: rows.slice(final), onFinal };
    onFinal(final);
  }

  get #height(): number {
    return outputSize(this.#output).rows;
  }

  #rows(columns: number): AreaRows {
    // They were made for the width at that time.
    const draft = this.draft.rows.map((row) => wrapRows(row, columns));
    this.#draftHeights = draft.map(({ length }) => length);
    const rows = draft.flat();
    if (this.#label !== undefined && (this.#footer !== undefined || this.#isSpinning)) {
      const elapsedMs = this.#now() - this.#since;
      rows.push(spinnerRow(this.#label, { frame: this.#frame, elapsedMs, columns }));
    }
    const room = Math.max(1, this.#height - rows.length - 1);
    const footer = this.#footer?.rows({ columns, rows: room });
    if (footer === undefined) return { rows };
    const cursor = footer.cursor && {
      row: footer.cursor.row + rows.length,
      column: footer.cursor.column,
    };
    return { rows: [...rows, ...footer.rows], cursor };
  }

  #endUpdate(): void {
    if (this.#isUpdating) this.#write(END_UPDATE);
    this.#isUpdating = false;
  }

  #write(text: string): void {
    if (text !== "") this.#output.stream.write(text);
  }
}

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const SECOND = 1000;
const MINUTE = 60;
/** The sign, the space after it, and two columns to spare. */
const AROUND = 4;

/** One row that shows what is happening, and for how long. The caller has sanitized the label. Pure. */
export function spinnerRow(
  label: string,
  { frame, elapsedMs, columns }: { frame: number; elapsedMs: number; columns: number },
): string {
  const time = elapsedText(elapsedMs);
  const room = Math.max(1, columns - AROUND - columnsOf(time));
  return `${FRAMES[frame % FRAMES.length] ?? ""} ${cutToColumns(label, room)}${time}`;
}

/** In whole seconds; empty within the first one. */
function elapsedText(ms: number): string {
  const seconds = Math.floor(ms / SECOND);
  if (seconds < 1) return "";
  const minutes = Math.floor(seconds / MINUTE);
  return minutes === 0 ? ` (${seconds} s)` : ` (${minutes} min ${seconds % MINUTE} s)`;
}
