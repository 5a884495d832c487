import { DEFAULT_MAX_LINE_BYTES, isLongerThan, LineTooLongError } from "./limit.ts";

const NEWLINE = 0x0a;

/** So many pieces of a line are joined into one, because tiny ones cost far more memory than text. */
const JOINED_PIECES = 1024;

/**
 * Splits a stream of bytes into lines, like `LineSplitter`, but on every platform. It is slower,
 * because it has no Buffer.
 */
export class TextSplitter {
  readonly #limit: number;
  readonly #decoder = new TextDecoder();
  /** The incomplete line: its joined parts, and the pieces that arrived since. */
  #parts: string[] = [];
  #pieces: string[] = [];
  #openBytes = 0;

  constructor(limit: number = DEFAULT_MAX_LINE_BYTES) {
    this.#limit = limit;
  }

  /** Adds bytes and returns every line they complete. Throws a LineTooLongError. */
  push(bytes: Uint8Array): string[] {
    const text = this.#decoder.decode(bytes, { stream: true });
    const last = bytes.lastIndexOf(NEWLINE);
    this.#openBytes = last === -1 ? this.#openBytes + bytes.length : bytes.length - last - 1;
    if (this.#openBytes > this.#limit) this.#fail();
    const [first = "", ...rest] = text.split("\n");
    this.#keep(first);
    const next = rest.pop();
    if (next === undefined) return [];
    const lines = [this.#take(), ...rest];
    this.#keep(next);
    return this.#checked(lines);
  }

  /** Ends the stream. Text after the last newline is a line too. */
  end(): string[] {
    return this.#checked([this.#take() + this.#decoder.decode()]);
  }

  #keep(piece: string): void {
    if (this.#pieces.push(piece) < JOINED_PIECES) return;
    this.#parts.push(this.#pieces.join(""));
    this.#pieces = [];
  }

  #take(): string {
    const line = this.#parts.join("") + this.#pieces.join("");
    this.#parts = [];
    this.#pieces = [];
    return line;
  }

  #checked(lines: readonly string[]): string[] {
    if (lines.some((line) => isLongerThan(line, this.#limit))) this.#fail();
    return lines
      .map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line))
      .filter((line) => line !== "");
  }

  #fail(): never {
    this.#take();
    throw new LineTooLongError(this.#limit);
  }
}
