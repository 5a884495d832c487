import { DEFAULT_MAX_LINE_BYTES, LineTooLongError } from "./limit.ts";

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Sizes of the buffer for an incomplete line: the first allocation, and the most kept for reuse. */
const FIRST_BUFFER_BYTES = 64 * 1024;
const KEPT_BUFFER_BYTES = 4 * 1024 * 1024;
const NO_BYTES = /* @__PURE__ */ new Uint8Array(0);

/**
 * Splits a stream of bytes into lines, as the class in `splitter.ts` does, without Node's Buffer. All lines
 * that are complete in a chunk are decoded at once: a call of the decoder costs more than a short line.
 */
export class LineSplitter {
  readonly #emit: (line: string) => void;
  readonly #limit: number;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** The incomplete line. */
  #open = NO_BYTES;
  #openBytes = 0;

  constructor(emit: (line: string) => void, limit: number = DEFAULT_MAX_LINE_BYTES) {
    this.#emit = emit;
    this.#limit = limit;
  }

  /** Adds bytes and emits every line they complete. Throws a LineTooLongError. */
  push(bytes: Uint8Array): void {
    let start = 0;
    if (this.#openBytes > 0) {
      const end = bytes.indexOf(NEWLINE);
      if (end === -1) return this.#keep(bytes);
      this.#keep(bytes.subarray(0, end));
      this.#flush();
      start = end + 1;
    }
    const last = bytes.lastIndexOf(NEWLINE);
    if (last >= start) this.#decodeAll(bytes.subarray(start, last));
    if (last + 1 < bytes.length) this.#keep(bytes.subarray(Math.max(start, last + 1)));
  }

  /** Ends the stream. Text after the last newline is emitted as a line. */
  end(): void {
    this.#flush();
  }

  #keep(bytes: Uint8Array): void {
    const size = this.#openBytes + bytes.length;
    if (size > this.#limit) {
      this.#open = NO_BYTES;
      throw new LineTooLongError(this.#limit);
    }
    if (size > this.#open.length) {
      // The buffer doubles each time, so the total cost of copying stays linear.
      const grown = new Uint8Array(Math.max(size, 2 * this.#open.length, FIRST_BUFFER_BYTES));
      grown.set(this.#open.subarray(0, this.#openBytes));
      this.#open = grown;
    }
    this.#open.set(bytes, this.#openBytes);
    this.#openBytes = size;
  }

  #flush(): void {
    if (this.#openBytes === 0) return;
    const line = this.#open.subarray(0, this.#openBytes);
    this.#openBytes = 0;
    if (this.#open.length > KEPT_BUFFER_BYTES) this.#open = NO_BYTES;
    this.#decode(line);
  }

  /** Decodes several lines. A newline is never part of another character, so the text has the same lines. */
  #decodeAll(bytes: Uint8Array): void {
    if (bytes.length > this.#limit) {
      let start = 0;
      for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
        this.#decode(bytes.subarray(start, end));
        start = end + 1;
      }
      return this.#decode(bytes.subarray(start));
    }
    for (const line of this.#decoder.decode(bytes).split("\n")) {
      const text = line.endsWith("\r") ? line.slice(0, -1) : line;
      if (text !== "") this.#emit(text);
    }
  }

  #decode(bytes: Uint8Array): void {
    if (bytes.length > this.#limit) throw new LineTooLongError(this.#limit);
    const end = bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length;
    if (end > 0) this.#emit(this.#decoder.decode(bytes.subarray(0, end)));
  }
}
