import { DEFAULT_MAX_LINE_BYTES, isLongerThan, LineTooLongError } from "./limit.ts";

const NEWLINE = 0x0a;

/**
 * Splits a stream of bytes into lines, like `LineSplitter`, but on every platform. It is slower,
 * because it has no Buffer.
 */
export class TextSplitter {
  readonly #limit: number;
  readonly #decoder = new TextDecoder();
  /** The incomplete line, in the pieces in which it arrived. */
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
    this.#pieces.push(first);
    const next = rest.pop();
    if (next === undefined) return [];
    const lines = [this.#pieces.join(""), ...rest];
    this.#pieces = [next];
    return this.#checked(lines);
  }

  /** Ends the stream. Text after the last newline is a line too. */
  end(): string[] {
    const line = this.#pieces.join("") + this.#decoder.decode();
    this.#pieces = [];
    return this.#checked([line]);
  }

  #checked(lines: readonly string[]): string[] {
    if (lines.some((line) => isLongerThan(line, this.#limit))) this.#fail();
    return lines
      .map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line))
      .filter((line) => line !== "");
  }

  #fail(): never {
    this.#pieces = [];
    throw new LineTooLongError(this.#limit);
  }
}
