import { once } from "node:events";
import type { Io, Output } from "../../io.ts";
import { Spinner } from "./spinner.ts";

export interface ScreenOptions {
  /** Whether a spinner may be shown: never in a pipe, and not beside machine-readable output. */
  readonly spinner: boolean;
  /** Called once when nobody reads stdout any more. */
  readonly onClosed: () => void;
}

/**
 * The one place that writes to stdout and stderr. Where both are one terminal or file it keeps them from
 * running into each other: the story starts on a line of its own, the spinner goes away before
 * anything is written, and while a question is open everything waits.
 */
export class Screen {
  readonly #out: Output;
  readonly #err: Output;
  readonly #shared: boolean;
  readonly #spinner: Spinner | undefined;
  readonly #listeners: (() => void)[] = [];
  #label: string | undefined;
  #midLine = false;
  /** Whether the answer, as stdout alone has it, is in the middle of a line. */
  #open = false;
  #held: (() => void)[] | undefined;
  #closed = false;

  constructor(io: Io, options: ScreenOptions) {
    this.#out = io.stdout;
    this.#err = io.stderr;
    this.#shared = (io.stdout.isTty && io.stderr.isTty) || io.oneOutput === true;
    if (options.spinner && io.stderr.isTty) this.#spinner = new Spinner(io.stderr);
    this.#watch(io.stdout, options.onClosed);
    // Nobody to tell a story to; the answer still matters.
    this.#watch(io.stderr, () => {});
  }

  /** True once stdout's reader has gone: nothing more can be delivered. */
  get closed(): boolean {
    return this.#closed;
  }

  /** A piece of the answer, exactly as it is. */
  answer(text: string): void {
    if (text === "") return;
    this.#write(() => {
      this.#spinner?.clear();
      if (!this.#closed) this.#out.stream.write(text);
      this.#open = !text.endsWith("\n");
      if (this.#shared) this.#midLine = this.#open;
      this.#refresh();
    });
  }

  /** One line, or several, of the story. */
  story(text: string): void {
    this.#write(() => {
      this.#spinner?.clear();
      this.#ownLine();
      this.#err.stream.write(`${text}\n`);
      this.#refresh();
    });
  }

  /** A piece of the story that goes on in the same line, such as a thought. */
  storyPiece(text: string): void {
    if (text === "") return;
    this.#write(() => {
      this.#spinner?.clear();
      this.#err.stream.write(text);
      if (this.#err.isTty) this.#midLine = !text.endsWith("\n");
      this.#refresh();
    });
  }

  /** What is happening, shown while nothing else is; undefined when nothing is. */
  status(label: string | undefined): void {
    this.#label = label;
    this.#refresh();
  }

  /** Lets everything wait until released, for a question on the same terminal. */
  hold(): () => void {
    if (this.#held !== undefined) return () => {};
    this.#spinner?.stop();
    if (this.#err.isTty) this.#ownLine();
    this.#held = [];
    return () => {
      const waiting = this.#held ?? [];
      this.#held = undefined;
      for (const write of waiting) write();
      this.#refresh();
    };
  }

  /** Resolves when stdout can take more: awaiting it lets a slow reader slow the agent down. */
  async drained(): Promise<void> {
    const { stream } = this.#out;
    if (this.#closed || !stream.writableNeedDrain) return;
    await Promise.race([once(stream, "drain"), once(stream, "close")]).catch(() => {});
  }

  /** Ends the answer: the shell's prompt should stand on a line of its own. */
  finish(): void {
    this.#label = undefined;
    this.#spinner?.stop();
    if (this.#err.isTty) this.#ownLine();
  }

  /** Ends the line of an answer that another will follow. */
  endAnswer(): void {
    if (this.#open) this.answer("\n");
  }

  /** Stops listening to the streams. */
  dispose(): void {
    this.finish();
    for (const stop of this.#listeners) stop();
  }

  /** What goes to stderr next stands on a line of its own. */
  #ownLine(): void {
    if (!this.#midLine) return;
    this.#err.stream.write("\n");
    this.#midLine = false;
    if (this.#shared) this.#open = false;
  }

  /** The spinner redraws its line: it must not stand on one that holds the beginning of an answer. */
  #refresh(): void {
    if (this.#held !== undefined) return;
    if (this.#label === undefined || this.#midLine) this.#spinner?.stop();
    else this.#spinner?.show(this.#label);
  }

  #write(work: () => void): void {
    if (this.#held === undefined) work();
    else this.#held.push(work);
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
