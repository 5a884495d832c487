import type { Writable } from "node:stream";
import { deferred } from "../../../wire/index.ts";
import { isOverloaded, MAX_WAITING, nextDrain } from "../../backpressure.ts";
import type { Io, Output } from "../../io.ts";
import { sanitiseJson } from "./sanitise.ts";
import { Spinner } from "./spinner.ts";

export interface ScreenOptions {
  /** Whether a spinner may be shown: never in a pipe, and not beside machine-readable output. */
  readonly spinner: boolean;
  /** Called once when stdout has no reader anymore. */
  readonly onClosed: () => void;
}

/** The line that the user edits. It is shown while nothing else is written. */
export interface InputLine {
  /** Removes the line from the terminal, and stops reading keys. */
  hide(): void;
  /** Shows the line again, if it still waits. Called when a question on the terminal is answered. */
  show(): void;
}

/** Output that waits until a question is answered. */
interface HeldOutput {
  readonly writes: (() => void)[];
  chars: number;
  readonly released: ReturnType<typeof deferred<void>>;
}

/**
 * The only code that writes to stdout, which gets the answer, and to stderr, which gets the story:
 * progress, notes and errors. If both go to the same terminal or file, it keeps them apart: the story
 * starts on its own line, the spinner is cleared before anything is written, and all output waits
 * while a question is open.
 */
export class Screen {
  readonly #out: Output;
  readonly #err: Output;
  readonly #shared: boolean;
  readonly #spinner: Spinner | undefined;
  readonly #listeners: (() => void)[] = [];
  /** The line that the user edits while other output may arrive. */
  input: InputLine | undefined;
  #label: string | undefined;
  #midLine = false;
  /** Whether stdout, taken alone, is in the middle of a line. */
  #open = false;
  #held: HeldOutput | undefined;
  #closed = false;
  #errClosed = false;

  constructor(io: Io, options: ScreenOptions) {
    this.#out = io.stdout;
    this.#err = io.stderr;
    this.#shared = (io.stdout.isTty && io.stderr.isTty) || io.oneOutput === true;
    if (options.spinner && io.stderr.isTty) this.#spinner = new Spinner(io.stderr);
    this.#watch(io.stdout, options.onClosed);
    // Without a reader of stderr the story is lost, but the answer still matters.
    this.#watch(io.stderr, () => (this.#errClosed = true));
  }

  /** Whether output waits, because a question is open on the terminal. */
  get isHeld(): boolean {
    return this.#held !== undefined;
  }

  /** True once stdout has no reader anymore, so that nothing more can be delivered. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Writes a piece of the answer, exactly as it is. */
  answer(text: string): void {
    if (text === "") return;
    this.#write(text, () => {
      this.#spinner?.clear();
      if (!this.#closed) this.#out.stream.write(text);
      this.#open = !text.endsWith("\n");
      if (this.#shared) this.#midLine = this.#open;
      this.#refresh();
    });
  }

  /** Writes whole lines of JSON. On a terminal, their text cannot act on it. */
  json(lines: string): void {
    this.answer(this.#out.isTty ? sanitiseJson(lines) : lines);
  }

  /** Writes one or more whole lines of the story. */
  story(text: string): void {
    this.#write(text, () => {
      this.#spinner?.clear();
      this.#ownLine();
      this.#err.stream.write(`${text}\n`);
      this.#refresh();
    });
  }

  /** Writes a piece of the story that continues on the same line, such as a thought. */
  storyPiece(text: string): void {
    if (text === "") return;
    this.#write(text, () => {
      this.#spinner?.clear();
      this.#err.stream.write(text);
      if (this.#err.isTty) this.#midLine = !text.endsWith("\n");
      this.#refresh();
    });
  }

  /** Sets the label of the spinner, which is shown while nothing else is written; undefined hides it. */
  status(label: string | undefined): void {
    this.#label = label;
    this.#refresh();
  }

  /** Holds back all output until released, for a question on the same terminal. */
  hold(): () => void {
    if (this.#held !== undefined) return () => {};
    this.input?.hide();
    this.#spinner?.stop();
    if (this.#err.isTty) this.#ownLine();
    const held: HeldOutput = { writes: [], chars: 0, released: deferred() };
    this.#held = held;
    return () => {
      this.#held = undefined;
      for (const write of held.writes) write();
      this.#refresh();
      held.released.resolve();
      this.input?.show();
    };
  }

  /**
   * Resolves when stdout can take more. Awaiting it lets a slow reader slow down the agent, and so does
   * a person who has not answered a question yet.
   */
  async drained(): Promise<void> {
    if (this.#holdsMuch()) await this.#held?.released.promise;
    const { stream } = this.#out;
    if (!this.#closed && stream.writableNeedDrain) await nextDrain(stream);
  }

  /** Whether so much output waits that the agent should not cause more of it. */
  get isOverloaded(): boolean {
    return this.#holdsMuch() || this.#overloaded() !== undefined;
  }

  /** Whether so much of the story waits that pieces which nothing holds back are better left out. */
  get isStoryOverloaded(): boolean {
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
    this.#label = undefined;
    this.#spinner?.stop();
    if (this.#err.isTty) this.#ownLine();
  }

  /** Ends the line of an answer that is followed by another. */
  endAnswer(): void {
    if (this.#open) this.answer("\n");
  }

  /** Stops listening to the streams. */
  dispose(): void {
    this.finish();
    for (const stop of this.#listeners) stop();
  }

  /** Ensures that the next output to stderr starts on its own line. */
  #ownLine(): void {
    if (!this.#midLine) return;
    this.#err.stream.write("\n");
    this.#midLine = false;
    if (this.#shared) this.#open = false;
  }

  /** The spinner redraws its line, so it must not be on a line that holds the beginning of an answer. */
  #refresh(): void {
    if (this.#held !== undefined) return;
    if (this.#label === undefined || this.#midLine) this.#spinner?.stop();
    else this.#spinner?.show(this.#label);
  }

  #holdsMuch(): boolean {
    return this.#held !== undefined && this.#held.chars > MAX_WAITING;
  }

  /** The stream whose reader is far behind. */
  #overloaded(): Writable | undefined {
    if (!this.#closed && isOverloaded(this.#out.stream)) return this.#out.stream;
    return !this.#errClosed && isOverloaded(this.#err.stream) ? this.#err.stream : undefined;
  }

  #write(text: string, work: () => void): void {
    if (this.#held === undefined) {
      this.input?.hide();
      return work();
    }
    this.#held.writes.push(work);
    this.#held.chars += text.length;
  }

  #watch(output: Output, closed: () => void): void {
    const failed = (): void => {
      if (output === this.#out) {
        if (this.#closed) return;
        this.#closed = true;
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
