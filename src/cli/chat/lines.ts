import type { Interface, ReadLineOptions } from "node:readline";
import type { Io } from "../io.ts";

export interface LinesOptions {
  readonly io: Io;
  /** Earlier lines, newest first. */
  readonly history: readonly string[];
  /** Completions for the last word of a line. They must be safe to print. */
  readonly complete: (line: string) => readonly string[];
}

/** The result of waiting for a line. `interrupt` is a Ctrl-C on an empty line. */
export type LineEvent =
  | { readonly kind: "line"; readonly line: string }
  | { readonly kind: "interrupt" }
  | { readonly kind: "end" };

/** Makes the terminal mark pasted text, so that its line breaks differ from a typed Enter. */
const MARK_PASTES = "\u001b[?2004h";
const UNMARK_PASTES = "\u001b[?2004l";

/**
 * Reads the lines of a chat, with line editing on a terminal, or from a pipe. Text pasted into a
 * terminal is one line, even if it has line breaks, and is sent by a typed Enter. Between lines the
 * terminal is in its normal mode, so that Ctrl-C and Ctrl-Z work as usual.
 */
export class Lines {
  readonly #reader: Interface;
  readonly #io: Io;
  readonly #terminal: boolean;
  #queue: LineEvent[] = [];
  #waiting: ((event: LineEvent) => void) | undefined;
  #closed = false;
  #marking = false;
  #hidden = false;
  #pasting = false;
  /** The finished lines of a paste. Its last line is still being edited. */
  #pasted: string[] = [];
  #history: readonly string[];

  private constructor(reader: Interface, { io, history }: LinesOptions) {
    this.#io = io;
    this.#terminal = io.stdinKind === "tty";
    this.#history = history;
    this.#reader = reader;
    this.#reader.on("line", (line) => this.#line(line));
    this.#reader.on("close", () => {
      this.#closed = true;
      this.#emit({ kind: "end" });
    });
    this.#reader.on("history", (all) => {
      this.#history = all;
    });
    // After Ctrl-Z and `fg`, the reader has paused itself.
    this.#reader.on("SIGCONT", () => this.#prompt(true));
    this.#reader.on("SIGINT", () => {
      const hadPasted = this.#pasted.splice(0).length > 0;
      // As in a shell, Ctrl-C clears the line and keeps the prompt.
      if (hadPasted || this.#reader.line !== "") {
        this.#reader.write(null, { ctrl: true, name: "e" });
        this.#reader.write(null, { ctrl: true, name: "u" });
        return;
      }
      this.#emit({ kind: "interrupt" });
    });
    if (this.#terminal)
      io.stdin.on("keypress", (_text: unknown, key: { readonly name?: string } | undefined) => {
        if (key?.name === "paste-start") this.#pasting = true;
        if (key?.name === "paste-end") this.#pasting = false;
      });
    this.#suspend();
  }

  /** Starts to read. */
  static async open(options: LinesOptions): Promise<Lines> {
    const { io, history, complete } = options;
    const { createInterface } = await import("node:readline");
    const terminal = io.stdinKind === "tty";
    const settings: ReadLineOptions = {
      input: io.stdin,
      terminal,
      historySize: HISTORY,
      history: [...history],
      removeHistoryDuplicates: true,
      ...(terminal ? { output: io.stderr.stream } : {}),
      completer: (line: string): [string[], string] => {
        const word = /\S*$/.exec(line)?.[0] ?? "";
        return [complete(line).filter((one) => one.startsWith(word)), word];
      },
    };
    return new Lines(createInterface(settings), options);
  }

  /** Earlier lines, newest first. */
  get history(): readonly string[] {
    return this.#history;
  }

  /** Waits for the next line. Resolves with `end` if the signal is aborted or the input has ended. */
  async next(prompt: string, signal: AbortSignal): Promise<LineEvent> {
    const ready = this.#queue.shift();
    if (ready !== undefined) return ready;
    if (signal.aborted || this.#closed) return { kind: "end" };
    const event = new Promise<LineEvent>((resolve) => {
      this.#waiting = resolve;
    });
    const stop = (): void => this.#emit({ kind: "end" });
    signal.addEventListener("abort", stop, { once: true });
    if (this.#terminal) {
      this.#io.setRaw?.(true);
      this.#reader.setPrompt(prompt);
      this.#prompt(false);
    } else this.#reader.resume();
    const result = await event;
    signal.removeEventListener("abort", stop);
    this.#suspend();
    return result;
  }

  /**
   * Removes the line that is being edited from the terminal, because something else is written. Until
   * `show`, the terminal is in its normal mode. Keeps what the user has typed.
   */
  hide(): void {
    if (!this.#terminal || this.#waiting === undefined || this.#hidden) return;
    this.#hidden = true;
    const { rows } = this.#reader.getCursorPos();
    this.#io.stderr.stream.write(`${rows > 0 ? `\u001b[${rows}A` : ""}\r\u001b[J`);
    this.#suspend();
  }

  /** Shows the line again. */
  show(): void {
    if (!this.#hidden) return;
    this.#hidden = false;
    if (this.#waiting === undefined || this.#closed) return;
    this.#io.setRaw?.(true);
    this.#prompt(true);
  }

  /** Discards lines that the user typed before `next` was called. Keeps lines from a pipe. */
  discard(): void {
    if (!this.#terminal) return;
    this.#queue = this.#queue.filter(({ kind }) => kind !== "line");
  }

  close(): void {
    this.#reader.removeAllListeners("close");
    this.#reader.close();
    this.#closed = true;
    this.#suspend();
  }

  #suspend(): void {
    // Since Node 24, a closed reader throws when it is paused.
    if (!this.#closed) this.#reader.pause();
    if (!this.#terminal) return;
    this.#markPastes(false);
    this.#io.setRaw?.(false);
  }

  #prompt(keepCursor: boolean): void {
    this.#markPastes(true);
    this.#reader.prompt(keepCursor);
  }

  #markPastes(mark: boolean): void {
    if (mark === this.#marking) return;
    this.#marking = mark;
    this.#io.stderr.stream.write(mark ? MARK_PASTES : UNMARK_PASTES);
  }

  #line(line: string): void {
    this.#pasted.push(line);
    if (!this.#pasting) this.#emit({ kind: "line", line: this.#pasted.splice(0).join("\n") });
  }

  #emit(event: LineEvent): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    // The next output must not continue the line of the prompt.
    if (waiting !== undefined && event.kind !== "line" && this.#terminal && !this.#hidden)
      this.#io.stderr.stream.write("\n");
    this.#hidden = false;
    if (waiting !== undefined) waiting(event);
    // No call of `next` is waiting. Lines that arrive together are returned one by one.
    else if (event.kind !== "interrupt") this.#queue.push(event);
  }
}

/** How many lines the history holds. */
export const HISTORY = 500;
