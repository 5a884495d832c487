import type { Writable } from "node:stream";
import { deferred, sanitize, sanitizeJson } from "../../../../base/index.ts";
import { isOverloaded, MAX_WAITING, nextDrain } from "../../shell/backpressure.ts";
import type { Io, Output } from "../../shell/io.ts";
import { Bottom, type Draft, type Footer } from "./bottom.ts";
import { wrapRows } from "./columns.ts";
import { isDumbTerminal } from "./style.ts";

export interface ScreenOptions {
  /** Whether a spinner may be shown: never in a pipe, and not beside machine-readable output. */
  readonly spinner: boolean;
  /** Called once when stdout has no reader anymore. */
  readonly onClosed: () => void;
}

/** Output that is not final yet, because more of it is expected. */
export interface LiveOutput {
  /** Makes it final and ends its row. Called before anything else is written. */
  interrupt(): void;
}

/** Output that waits until a question is answered. */
interface HeldOutput {
  readonly writes: (() => void)[];
  chars: number;
  readonly released: ReturnType<typeof deferred<void>>;
}

/** A longer unfinished line is written row by row, because the rows below it need room. */
const MAX_DRAFT_ROWS = 3;

/**
 * The only code that writes to stdout, which gets the answer, and to stderr, which gets
 * progress, notes and errors. If both go to the same terminal or file, it keeps them apart: stderr
 * starts on its own line, the rows at the bottom are cleared before anything is written, and all
 * output waits while a question is open.
 */
export class Screen {
  readonly #out: Output;
  readonly #err: Output;
  readonly #shared: boolean;
  readonly #hasSpinner: boolean;
  /** The rows that are redrawn in place; undefined if stderr cannot show any. */
  readonly #bottom: Bottom | undefined;
  readonly #listeners: (() => void)[] = [];
  /** The part of the answer that may still change. */
  live: LiveOutput | undefined;
  /** An unfinished line above the footer, and the output that it belongs to. */
  #line: { readonly text: string; readonly output: Output } | undefined;
  #midLine = false;
  /** Whether stdout, taken alone, is in the middle of a line. */
  #open = false;
  #held: HeldOutput | undefined;
  /** True once stdout has no reader anymore, so that nothing more can be delivered. */
  closed = false;
  #errClosed = false;

  constructor(io: Io, options: ScreenOptions) {
    this.#out = io.stdout;
    this.#err = io.stderr;
    this.#shared = (io.stdout.isTty && io.stderr.isTty) || io.oneOutput === true;
    this.#hasSpinner = options.spinner;
    if (io.stderr.isTty && !isDumbTerminal(io))
      this.#bottom = new Bottom(io.stderr, io.env, () => io.now());
    this.#watch(io.stdout, options.onClosed);
    // Without a reader, stderr is lost, but the answer still matters.
    this.#watch(io.stderr, () => (this.#errClosed = true));
  }

  /** Whether rows can stay below the output: only on a terminal that can redraw them. */
  get canHaveFooter(): boolean {
    return this.#bottom !== undefined;
  }

  /** Keeps rows below all output until it is called with undefined. */
  setFooter(footer: Footer | undefined): void {
    const bottom = this.#bottom;
    if (bottom === undefined) return;
    bottom.clear();
    this.#ownLine();
    bottom.footer = footer;
  }

  /** Whether rows stay below the output now. Then nothing else may move the cursor. */
  get hasFooter(): boolean {
    return this.#bottom?.footer !== undefined;
  }

  /**
   * Shows rows at the end of the answer that may still change, above the footer. Each call replaces the
   * rows of the last one; output that is written meanwhile appears before them.
   */
  draft(draft: Draft): void {
    this.#write("", () => {
      if (this.#bottom?.footer === undefined) return;
      this.#bottom.draft = draft;
      this.#bottom.show(true);
    });
  }

  redrawFooter(): void {
    if (this.#held === undefined) this.#bottom?.redraw();
  }

  /** Clears the terminal. Only the rows below the output come back. */
  clearTerminal(): void {
    if (this.#held !== undefined) return;
    this.#bottom?.clear();
    this.#err.stream.write("\u001b[H\u001b[2J");
    this.#bottom?.show(!this.#midLine);
  }

  /** Writes a control sequence that changes nothing on the screen, if stderr is a terminal. */
  control(sequence: string): void {
    if (sequence !== "" && this.#bottom !== undefined) this.#err.stream.write(sequence);
  }

  /** Removes the rows below the output, so that the job can stop. `redrawFooter` brings them back. */
  clearFooter(): void {
    this.#bottom?.clear();
  }

  /** Writes a piece of the answer, exactly as it is. */
  answer(text: string): void {
    if (text === "") return;
    this.#write(text, () => this.#piece(this.#out, text));
  }

  /** Writes text from elsewhere, exactly as it is unless stdout is a terminal, on which it must not act. */
  foreignAnswer(text: string): void {
    this.answer(this.#out.isTty ? sanitize(text) : text);
  }

  /** Writes whole lines of JSON. On a terminal, their text cannot act on it. */
  json(lines: string): void {
    this.answer(this.#out.isTty ? sanitizeJson(lines) : lines);
  }

  /** Writes one or more whole lines to stderr. */
  printLine(text: string): void {
    this.live?.interrupt();
    this.#write(text, () => {
      this.#bottom?.clear();
      this.#ownLine();
      this.#err.stream.write(`${text}\n`);
      this.#bottom?.show(true);
    });
  }

  /** Writes text to stderr that continues on the same line, such as a thought. */
  printPiece(text: string): void {
    if (text === "") return;
    this.live?.interrupt();
    this.#write(text, () => this.#piece(this.#err, text));
  }

  /** Sets the label of the spinner, which is shown while nothing else is written; undefined hides it. */
  status(label: string | undefined): void {
    if (this.#hasSpinner) this.#bottom?.status(label);
  }

  /** Holds back all output until released, for a question on the same terminal. */
  hold(): () => void {
    if (this.#held !== undefined) return () => {};
    this.live?.interrupt();
    this.#bottom?.clear();
    if (this.#err.isTty) this.#ownLine();
    this.#bottom?.hide();
    const held: HeldOutput = { writes: [], chars: 0, released: deferred() };
    this.#held = held;
    return () => {
      this.#held = undefined;
      for (const write of held.writes) write();
      this.#bottom?.reveal();
      held.released.resolve();
    };
  }

  /**
   * Resolves when stdout can take more. Awaiting it lets a slow reader slow down the agent, and so does
   * a person who has not answered a question yet.
   */
  async drained(): Promise<void> {
    if (this.#holdsMuch()) await this.#held?.released.promise;
    const { stream } = this.#out;
    if (!this.closed && stream.writableNeedDrain) await nextDrain(stream);
  }

  /** Whether so much output waits that the agent should not cause more of it. */
  get isOverloaded(): boolean {
    return this.#holdsMuch() || this.#overloaded() !== undefined;
  }

  /** Whether so much of stderr waits that further lines are better left out. */
  get isStderrFull(): boolean {
    return this.#holdsMuch() || (!this.#errClosed && isOverloaded(this.#err.stream));
  }

  /** Resolves when the output is not overloaded anymore. Never rejects. */
  async relieved(): Promise<void> {
    for (;;) {
      const stream = this.#overloaded();
      if (this.#holdsMuch()) await this.#held?.released.promise;
      else if (stream !== undefined) await nextDrain(stream);
      else return;
    }
  }

  /** Ends the output, so that the shell's prompt starts on its own line. */
  finish(): void {
    this.live?.interrupt();
    this.status(undefined);
    this.#bottom?.clear();
    if (this.#err.isTty) this.#ownLine();
    this.#bottom?.show(true);
  }

  /** Ends the line of an answer that is followed by another. */
  endAnswer(): void {
    this.live?.interrupt();
    if (this.#open) this.answer("\n");
  }

  dispose(): void {
    this.finish();
    this.#bottom?.dispose();
    for (const stop of this.#listeners) stop();
  }

  /** Ensures that the next output to stderr starts on its own line. The bottom must be cleared. */
  #ownLine(): void {
    if (this.#line !== undefined) this.#writeTo(this.#line.output, `${this.#line.text}\n`);
    else if (this.#midLine) this.#err.stream.write("\n");
    else return;
    this.#setLine(undefined);
    this.#midLine = false;
    if (this.#shared) this.#open = false;
  }

  /** Writes a piece of a line. Above a footer, an unfinished line is redrawn until it is complete. */
  #piece(output: Output, text: string): void {
    const bottom = this.#bottom;
    const isAnswer = output === this.#out;
    if (bottom?.footer !== undefined && (!isAnswer || this.#shared))
      return this.#draftPiece(bottom, output, text);
    bottom?.clear();
    this.#writeTo(output, text);
    const isOpen = !text.endsWith("\n");
    if (isAnswer) this.#open = isOpen;
    if (isAnswer ? this.#shared : this.#err.isTty) this.#midLine = isOpen;
    bottom?.show(!this.#midLine);
  }

  #draftPiece(bottom: Bottom, output: Output, text: string): void {
    if (this.#line !== undefined && this.#line.output !== output) {
      bottom.clear();
      this.#ownLine();
    }
    const all = (this.#line?.text ?? "") + text;
    const cut = all.lastIndexOf("\n") + 1;
    const rows = wrapRows(all.slice(cut), bottom.columns);
    const isLong = rows.length > MAX_DRAFT_ROWS;
    const whole = all.slice(0, cut) + (isLong ? `${rows.slice(0, -1).join("\n")}\n` : "");
    const rest = isLong ? (rows.at(-1) ?? "") : all.slice(cut);
    if (whole !== "") {
      bottom.clear();
      this.#writeTo(output, whole);
    }
    this.#setLine(rest === "" ? undefined : { text: rest, output });
    if (output === this.#out) this.#open = rest !== "";
    bottom.show(true);
  }

  #setLine(line: { readonly text: string; readonly output: Output } | undefined): void {
    if (line === undefined && this.#line === undefined) return;
    this.#line = line;
    if (this.#bottom !== undefined)
      this.#bottom.draft = {
        rows: line === undefined ? [] : wrapRows(line.text, this.#bottom.columns),
      };
  }

  #writeTo(output: Output, text: string): void {
    if (output !== this.#out || !this.closed) output.stream.write(text);
  }

  #holdsMuch(): boolean {
    return this.#held !== undefined && this.#held.chars > MAX_WAITING;
  }

  /** The stream whose reader is far behind. */
  #overloaded(): Writable | undefined {
    if (!this.closed && isOverloaded(this.#out.stream)) return this.#out.stream;
    return !this.#errClosed && isOverloaded(this.#err.stream) ? this.#err.stream : undefined;
  }

  #write(text: string, work: () => void): void {
    if (this.#held === undefined) return work();
    this.#held.writes.push(work);
    this.#held.chars += text.length;
  }

  #watch(output: Output, closed: () => void): void {
    const failed = (): void => {
      if (output === this.#out) {
        if (this.closed) return;
        this.closed = true;
      }
      closed();
    };
    output.stream.on("error", failed);
    this.#listeners.push(() => {
      output.stream.off("error", failed);
      // A late EPIPE must not become an uncaught exception on the way out.
      output.stream.on("error", () => {});
    });
  }
}
