import type { Io, UserTerminal } from "../io.ts";
import type { Screen } from "../render/terminal/screen.ts";

export interface AskerOptions {
  /**
   * Asks on the terminal's second screen, so that what is on the first stays as it is: for
   * machine-readable output on a terminal.
   */
  readonly apart: boolean;
}

const ENTER_APART = "\u001b[?1049h\u001b[H";
const LEAVE_APART = "\u001b[?1049l";

/**
 * Asks the person at the terminal, one question at a time. Questions go to the terminal itself, so
 * they work while stdin and stdout are pipes. Lines are read in the terminal's ordinary mode: Ctrl-C
 * stays a signal, and there is nothing to restore.
 */
export class Asker {
  readonly #io: Io;
  readonly #screen: Screen;
  readonly #apart: boolean;
  #last: Promise<unknown> = Promise.resolve();

  constructor(io: Io, screen: Screen, options: AskerOptions) {
    this.#io = io;
    this.#screen = screen;
    this.#apart = options.apart;
  }

  /** Runs a conversation of one or more questions, after those before it. */
  ask<T>(signal: AbortSignal, talk: (dialogue: Dialogue) => Promise<T>): Promise<T | undefined> {
    const turn = this.#last.then(() => this.#run(signal, talk));
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #run<T>(
    signal: AbortSignal,
    talk: (dialogue: Dialogue) => Promise<T>,
  ): Promise<T | undefined> {
    if (signal.aborted) return undefined;
    const terminal = this.#io.openTerminal();
    if (terminal === undefined) return undefined;
    const release = this.#screen.hold();
    if (this.#apart) terminal.output.write(ENTER_APART);
    try {
      // An early Enter must not allow what nobody has read.
      terminal.discardTyped();
      return await talk(new Dialogue(terminal, signal));
    } finally {
      if (this.#apart) terminal.output.write(LEAVE_APART);
      terminal.close();
      release();
    }
  }
}

/** An open conversation. */
export class Dialogue {
  readonly signal: AbortSignal;
  readonly #terminal: UserTerminal;
  #typed = "";

  constructor(terminal: UserTerminal, signal: AbortSignal) {
    this.#terminal = terminal;
    this.signal = signal;
  }

  /** Prints lines that are safe to print. */
  say(...lines: readonly string[]): void {
    for (const line of lines) this.#terminal.output.write(`${line}\n`);
  }

  /** Reads one line; undefined when it was given up (Ctrl-D, or the signal). */
  async line(prompt: string): Promise<string | undefined> {
    this.#terminal.output.write(prompt);
    const { input } = this.#terminal;
    const { signal } = this;
    return new Promise((resolve) => {
      const settle = (line: string | undefined): void => {
        input.off("data", take);
        input.off("end", giveUp);
        input.off("error", giveUp);
        signal.removeEventListener("abort", giveUp);
        input.pause();
        if (line === undefined) this.#terminal.output.write("\n");
        resolve(line);
      };
      const giveUp = (): void => settle(undefined);
      const take = (chunk: Buffer | string): void => {
        this.#typed += chunk.toString();
        const end = this.#typed.indexOf("\n");
        if (end === -1) return;
        const line = this.#typed.slice(0, end).replace(/\r$/, "");
        this.#typed = this.#typed.slice(end + 1);
        settle(line);
      };
      if (signal.aborted) return settle(undefined);
      signal.addEventListener("abort", giveUp, { once: true });
      input.on("data", take);
      input.on("end", giveUp);
      input.on("error", giveUp);
      input.resume();
      // What was typed ahead may hold a whole line already.
      take("");
    });
  }

  /** Asks until the answer is one that `read` takes. */
  async until<T>(
    prompt: string,
    read: (line: string) => T | undefined,
    complaint: string,
  ): Promise<T | undefined> {
    for (;;) {
      const line = await this.line(prompt);
      if (line === undefined) return undefined;
      const value = read(line.trim());
      if (value !== undefined) return value;
      this.say(complaint);
    }
  }
}
