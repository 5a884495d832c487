import { isMarkedToken, parseBlocks, type Token } from "../../../../base/markdown/index.ts";
import { immediately } from "../../../../base/index.ts";
import { loadedSyntax, loadSyntax } from "../syntax/languages.ts";
import type { SyntaxState } from "../syntax/highlight.ts";
import type { Row } from "../terminal/spans.ts";
import { type Style, showsLinks } from "../terminal/style.ts";
import { blockRows, codeRow, EMPTY_ROW, type Look } from "./blocks.ts";
import {
  endsWithBlankLine,
  fenceLanguage,
  closesFence,
  type Fence,
  findFence,
  lastBreak,
  firstOpenBlock,
  openText,
  withoutIndent,
} from "./growing-source.ts";
import { type Environment, type Output, type ScreenSize, outputSize } from "../../shell/io.ts";
import { reflowsOnResize, LiveArea } from "../terminal/live-area.ts";
import type { Screen } from "../terminal/screen.ts";
import { DRAFT_SHARE } from "../terminal/bottom.ts";

export interface MarkdownOptions {
  readonly write: (text: string) => void;
  readonly size: () => ScreenSize;
  /** The rows of the block that is still growing. */
  readonly rows: GrowingRows;
  readonly style: Style;
  readonly links: boolean;
}

interface OpenFence extends Fence {
  readonly syntax: SyntaxState | undefined;
}

/** How much of a source awaits the end of its block. */
const MAX_OPEN_CHARS = 8 * 1024;
/** A longer block is redrawn only each time it grows by a sixteenth. */
const SHORT_CHARS = 512;
const GROWTH = 1 / 16;
const MIN_COLUMNS = 10;
/** The language of a fence. It begins at the first of its marks, so that a row of marks is read once. */
const FENCE_INFO = /(?<![`~])(?:`{3,}|~{3,})[ \t]*([^\s`~]+)\s/g;

/**
 * Renders Markdown that arrives in pieces. Finished blocks are printed for good; the block that is still
 * growing is drawn again when a piece changes its rows or the terminal its width. Pieces must be
 * sanitized.
 */
export class MarkdownStream {
  readonly #options: MarkdownOptions;
  readonly #look: Look;
  readonly #live: GrowingRows;
  /** The source of the open block, or the open line of code. */
  #source = "";
  /** The source length at which to redraw, so that the cost does not depend on the number of pieces. */
  #due = 0;
  #fence: OpenFence | undefined;
  /** Whether a blank row comes before the next block. */
  #isBlankDue = false;
  #hasPrinted = false;
  #out = "";

  constructor(options: MarkdownOptions) {
    const { style, links, rows } = options;
    const styled = style("bold", "x") !== "x";
    this.#options = options;
    this.#look = { style, styled, links, syntaxOf: styled ? loadedSyntax : () => undefined };
    this.#live = rows;
  }

  /** Adds a piece. Resolves when it is written; never rejects. */
  async push(piece: string): Promise<void> {
    for (let at = 0; at < piece.length; at += MAX_OPEN_CHARS) {
      // Signals and other output run between the parts of a long piece.
      if (at > 0) await new Promise<void>(immediately);
      this.#source += piece.slice(at, at + MAX_OPEN_CHARS);
      if (this.#source.length < this.#due) continue;
      if (this.#look.styled) await this.#loadSyntaxes();
      this.#advance(false);
    }
  }

  /** Draws the growing block again, because the width of the terminal has changed. */
  redraw(): void {
    if (this.#source !== "") this.#advance(false);
  }

  /** Prints everything that has arrived, because something else is about to be printed. */
  interrupt(): void {
    this.#advance(true);
    // The next text begins a new message, and no blank row belongs between it and the other output.
    this.#isBlankDue = false;
    this.#hasPrinted = false;
  }

  /** Prints the rest. The next piece begins another answer. */
  end(rest = ""): void {
    this.#source += rest;
    this.interrupt();
    this.#fence = undefined;
  }

  async #loadSyntaxes(): Promise<void> {
    for (const [, info = ""] of this.#source.matchAll(FENCE_INFO))
      await loadSyntax(fenceLanguage(info));
  }

  #advance(isFinal: boolean): void {
    while (
      this.#fence === undefined ? this.#readText(isFinal) : this.#readCode(this.#fence, isFinal)
    );
    const { length } = this.#source;
    this.#due = length + Math.max(0, length - SHORT_CHARS) * GROWTH;
    const text = this.#out;
    this.#out = "";
    if (text !== "") this.#options.write(text);
  }

  /** Reads blocks. Returns true if there is more to read: a code fence, or the rest of a long source. */
  #readText(isFinal: boolean): boolean {
    this.#skipBlankLines();
    const isLong = this.#source.length > MAX_OPEN_CHARS;
    const end = isLong ? lastBreak(this.#source.slice(0, MAX_OPEN_CHARS)) : this.#source.length;
    const text = this.#source.slice(0, end);
    const found = findFence(text, isFinal || isLong);
    if (found !== undefined) {
      const { start, fence, after } = found;
      this.#print(parseBlocks(text.slice(0, start)));
      this.#fence = { ...fence, syntax: this.#look.syntaxOf(fenceLanguage(fence.info))?.start() };
      this.#source = this.#source.slice(after);
      return true;
    }
    if (isFinal || isLong) {
      this.#print(parseBlocks(text));
      this.#source = this.#source.slice(end);
      return isLong;
    }
    // A line that is not complete decides nothing: "*" may begin an item or emphasis.
    const tokens = parseBlocks(text.slice(0, text.lastIndexOf("\n") + 1));
    const open = firstOpenBlock(tokens);
    if (this.#printBefore(tokens.slice(0, open))) this.#printItems(tokens[open]);
    const rest = parseBlocks(openText(this.#source));
    this.#draw(blockRows(rest, this.#columns(), this.#look));
    return false;
  }

  /** A source begins with a block, so blank lines before it only separate it from the one before. */
  #skipBlankLines(): void {
    const [lines = ""] = /^(?:[ \t]*\n)+/.exec(this.#source) ?? [];
    if (lines === "") return;
    this.#source = this.#source.slice(lines.length);
    this.#isBlankDue = true;
  }

  /** Reads lines of code. Returns true if the fence was closed. */
  #readCode(fence: OpenFence, isFinal: boolean): boolean {
    for (;;) {
      const end = this.#source.indexOf("\n");
      const line = end === -1 ? this.#source : this.#source.slice(0, end);
      if ((end !== -1 || isFinal) && closesFence(line, fence)) {
        this.#source = end === -1 ? "" : this.#source.slice(end + 1);
        this.#erase();
        this.#fence = undefined;
        return true;
      }
      if (end === -1 && !isFinal) {
        const isMark = /^ {0,3}(?:`*|~*)$/.test(line);
        const code = withoutIndent(line, fence);
        this.#draw(isMark ? [] : [codeRow(code, fence.syntax?.copy(), this.#look.style)]);
        return false;
      }
      if (end === -1 && line === "") return false;
      this.#finish([codeRow(withoutIndent(line, fence), fence.syntax, this.#look.style)]);
      this.#source = end === -1 ? "" : this.#source.slice(end + 1);
      if (end === -1) return false;
    }
  }

  #print(tokens: readonly Token[]): void {
    let isLineStart = false;
    for (const token of tokens) {
      const lead = /^\s*/.exec(token.raw)?.[0] ?? "";
      if (/\n[ \t]*\n/.test((isLineStart ? "\n" : "") + lead)) this.#isBlankDue = true;
      if (token.type !== "space") {
        this.#finish(blockRows([token], this.#columns(), this.#look));
        if (endsWithBlankLine(token.raw)) this.#isBlankDue = true;
      }
      isLineStart = token.raw.endsWith("\n");
    }
  }

  /**
   * Prints the blocks at the beginning of the source, and takes them from it. Returns false if the parser
   * did not keep their source exactly; then they wait.
   */
  #printBefore(tokens: readonly Token[]): boolean {
    const raw = tokens.map((token) => token.raw).join("");
    if (!this.#source.startsWith(raw)) return false;
    this.#print(tokens);
    this.#source = this.#source.slice(raw.length);
    return true;
  }

  #printItems(token: Token | undefined): void {
    if (token === undefined || !isMarkedToken(token) || token.type !== "list") return;
    this.#printBefore(token.items.slice(0, -1));
  }

  #columns(): number {
    return Math.max(MIN_COLUMNS, this.#live.columnsFor(this.#options.size()) - 1);
  }

  #draw(rows: readonly Row[]): void {
    if (rows.length > 0) this.#space();
    this.#out += this.#live.update(rows, this.#options.size());
  }

  #erase(): void {
    this.#draw([]);
  }

  #finish(rows: readonly Row[]): void {
    if (rows.length === 0) return this.#erase();
    this.#space();
    this.#writeRows(rows);
    this.#hasPrinted = true;
  }

  #writeRows(rows: readonly Row[]): void {
    this.#out += this.#live.finish(rows, this.#options.size());
  }

  /** Prints the blank row before a block, for good. */
  #space(): void {
    if (this.#isBlankDue && this.#hasPrinted) this.#writeRows([EMPTY_ROW]);
    this.#isBlankDue = false;
  }
}

export interface AnswerTerminal {
  readonly output: Output;
  readonly env: Environment;
  readonly style: Style;
}

export function openMarkdown(
  screen: Screen,
  { output, env, style }: AnswerTerminal,
): MarkdownStream {
  const { hasFooter } = screen;
  const stream = new MarkdownStream({
    write: (text) => screen.answer(text),
    size: () => outputSize(output),
    // Above the prompt of a chat, only the screen itself may move the cursor.
    rows: hasFooter ? new DraftRows(screen) : new LiveRows(reflowsOnResize(env)),
    style,
    links: showsLinks(env),
  });
  screen.live = stream;
  // With a footer, the screen draws the rows again.
  if (!hasFooter) output.onResize(() => stream.redraw());
  return stream;
}

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
