import { type Io, type ScreenSize, outputSize, type UserTerminal } from "../shell/io.ts";
import type { Screen } from "../render/terminal/screen.ts";
import { isDumbTerminal } from "../render/terminal/style.ts";

const ENTER_ALTERNATE_SCREEN = "\u001b[?1049h\u001b[H";
const LEAVE_ALTERNATE_SCREEN = "\u001b[?1049l";

/**
 * Asks the user on the terminal, one question at a time. Questions go to the terminal itself, so
 * they work while stdin and stdout are pipes. Lines are read in the terminal's normal mode: Ctrl-C
 * stays a signal, and there is no mode to restore.
 */
export class Asker {
  readonly #io: Io;
  readonly #screen: Screen;
  readonly #apart: boolean;
  #last: Promise<unknown> = Promise.resolve();

  /**
   * With `apart`, it asks on the terminal's alternate screen. That keeps questions out of machine-readable
   * output that goes to the same terminal.
   */
  constructor(io: Io, screen: Screen, { apart }: { readonly apart: boolean }) {
    this.#io = io;
    this.#screen = screen;
    this.#apart = apart && !isDumbTerminal(io);
  }

  /**
   * Runs a dialogue of one or more questions once earlier ones have ended. Resolves with undefined if
   * the signal is aborted or there is no terminal.
   */
  ask<T>(
    signal: AbortSignal,
    converse: (dialogue: Dialogue) => Promise<T>,
  ): Promise<T | undefined> {
    const turn = this.#last.then(() => this.#run(signal, converse));
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #run<T>(
    signal: AbortSignal,
    converse: (dialogue: Dialogue) => Promise<T>,
  ): Promise<T | undefined> {
    if (signal.aborted) return undefined;
    const terminal = this.#io.openTerminal();
    if (terminal === undefined) return undefined;
    const release = this.#screen.hold();
    if (this.#apart) terminal.output.write(ENTER_ALTERNATE_SCREEN);
    try {
      // An Enter typed too early must not answer a question that the user has not read.
      terminal.discardTyped();
      return await converse(new Dialogue(this.#io, terminal, signal));
    } finally {
      if (this.#apart) terminal.output.write(LEAVE_ALTERNATE_SCREEN);
      terminal.close();
      release();
    }
  }
}

export class Dialogue {
  readonly signal: AbortSignal;
  readonly io: Io;
  readonly terminal: UserTerminal;
  #typed = "";
  /** The lines since the last answer, which are printed again when the job continues. */
  #said: string[] = [];

  constructor(io: Io, terminal: UserTerminal, signal: AbortSignal) {
    this.io = io;
    this.terminal = terminal;
    this.signal = signal;
  }

  get isDumb(): boolean {
    return isDumbTerminal(this.io);
  }

  get size(): ScreenSize {
    return outputSize(this.terminal);
  }

  /** Writes text, which the caller has sanitized. */
  write(text: string): void {
    this.terminal.output.write(text);
  }

  /** Prints lines, which the caller has sanitized. */
  say(...lines: readonly string[]): void {
    for (const line of lines) this.terminal.output.write(`${line}\n`);
    this.#said.push(...lines);
  }

  /** Reads one line. Resolves with undefined if it is cancelled by Ctrl-D or the signal. */
  async line(prompt: string): Promise<string | undefined> {
    this.terminal.output.write(prompt);
    const { input } = this.terminal;
    const { signal } = this;
    return new Promise((resolve) => {
      const settle = (line: string | undefined): void => {
        input.off("data", take);
        input.off("end", cancel);
        input.off("error", cancel);
        signal.removeEventListener("abort", cancel);
        stopListening();
        this.#said = [];
        input.pause();
        if (line === undefined) this.terminal.output.write("\n");
        resolve(line);
      };
      const cancel = (): void => settle(undefined);
      // After Ctrl-Z and `fg`, the question may not be on the screen anymore.
      const stopListening = this.io.onContinue(() => {
        const lines = this.#said.map((line) => `${line}\n`);
        this.terminal.output.write(`${lines.join("")}${prompt}`);
      });
      const take = (chunk: Buffer | string): void => {
        this.#typed += chunk.toString();
        const end = this.#typed.indexOf("\n");
        if (end === -1) return;
        const line = this.#typed.slice(0, end).replace(/\r$/, "");
        this.#typed = this.#typed.slice(end + 1);
        settle(line);
      };
      if (signal.aborted) return settle(undefined);
      signal.addEventListener("abort", cancel, { once: true });
      input.on("data", take);
      input.on("end", cancel);
      input.on("error", cancel);
      input.resume();
      // Input typed ahead may already hold a whole line.
      take("");
    });
  }

  /** Asks for yes or no. Enter alone takes the default. Resolves with undefined if it is cancelled. */
  confirm(question: string, byDefault: boolean): Promise<boolean | undefined> {
    const read = (line: string): boolean | undefined => {
      if (line === "") return byDefault;
      return /^y(es)?$/i.test(line) ? true : /^no?$/i.test(line) ? false : undefined;
    };
    const prompt = `${question} ${byDefault ? "[Y/n]" : "[y/N]"} `;
    return this.until(prompt, read, "Please answer y or n.");
  }

  /** Asks until `read` accepts the answer. Resolves with undefined if the question is cancelled. */
  async until<T>(
    prompt: string,
    read: (line: string) => T | undefined,
    retry: string,
  ): Promise<T | undefined> {
    for (;;) {
      const line = await this.line(prompt);
      if (line === undefined) return undefined;
      const value = read(line.trim());
      if (value !== undefined) return value;
      this.say(retry);
    }
  }
}
