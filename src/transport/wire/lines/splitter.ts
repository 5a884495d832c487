import { DEFAULT_MAX_LINE_BYTES, LineTooLongError } from "./limit.ts";

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Sizes of the buffer for an incomplete line: the first allocation, and the most kept for reuse. */
const FIRST_BUFFER_BYTES = 64 * 1024;
const KEPT_BUFFER_BYTES = 4 * 1024 * 1024;
const NO_BUFFER = Buffer.alloc(0);

/**
 * Splits a stream of bytes into lines.
 *
 * Lines end in LF or CRLF; empty lines are dropped. Bytes are decoded only where a line is complete,
 * so a character split over two chunks survives, and the cost stays linear for any chunk size.
 */
export class LineSplitter {
  readonly #emit: (line: string) => void;
  readonly #limit: number;
  /** The incomplete line, copied: many tiny chunks would cost far more memory. */
  #open = NO_BUFFER;
  #openBytes = 0;

  /** Calls `emit` with each line, without its newline. Default for `limit`: 64 MiB. */
  constructor(emit: (line: string) => void, limit: number = DEFAULT_MAX_LINE_BYTES) {
    this.#emit = emit;
    this.#limit = limit;
  }

  /** Adds bytes and emits every line they complete. Throws a LineTooLongError. */
  push(bytes: Uint8Array): void {
    const chunk = Buffer.isBuffer(bytes)
      ? bytes
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let start = 0;
    if (this.#openBytes > 0) {
      const end = chunk.indexOf(NEWLINE);
      if (end === -1) {
        this.#keep(chunk);
        return;
      }
      this.#keep(chunk.subarray(0, end));
      this.#flush();
      start = end + 1;
    }
    const last = chunk.lastIndexOf(NEWLINE);
    if (last >= start) this.#emitBlock(chunk, start, last);
    if (last + 1 < chunk.length) this.#keep(chunk.subarray(Math.max(start, last + 1)));
  }

  /** Ends the stream. Text after the last newline is emitted as a line. */
  end(): void {
    this.#flush();
  }

  /** Decodes all complete lines of a chunk at once: one decoder call per chunk, not one per line. */
  #emitBlock(chunk: Buffer, start: number, end: number): void {
    if (end - start > this.#limit) return this.#emitMeasured(chunk, start, end);
    const text = chunk.toString("utf8", start, end);
    let from = 0;
    while (from <= text.length) {
      let to = text.indexOf("\n", from);
      if (to === -1) to = text.length;
      if (to > from) this.#emitLine(text.slice(from, to));
      from = to + 1;
    }
  }

  /** Splits a block above the limit before decoding, because the limit counts received bytes. */
  #emitMeasured(chunk: Buffer, start: number, end: number): void {
    for (let from = start; from <= end;) {
      const to = chunk.indexOf(NEWLINE, from);
      if (to - from > this.#limit) throw new LineTooLongError(this.#limit);
      this.#emitLine(chunk.toString("utf8", from, to));
      from = to + 1;
    }
  }

  #keep(bytes: Buffer): void {
    const size = this.#openBytes + bytes.length;
    if (size > this.#limit) {
      this.#open = NO_BUFFER;
      throw new LineTooLongError(this.#limit);
    }
    if (size > this.#open.length) {
      // The buffer doubles each time, so the total cost of copying stays linear.
      const grown = Buffer.allocUnsafe(Math.max(size, 2 * this.#open.length, FIRST_BUFFER_BYTES));
      this.#open.copy(grown, 0, 0, this.#openBytes);
      this.#open = grown;
    }
    bytes.copy(this.#open, this.#openBytes);
    this.#openBytes = size;
  }

  #flush(): void {
    if (this.#openBytes === 0) return;
    const line = this.#open.toString("utf8", 0, this.#openBytes);
    this.#openBytes = 0;
    if (this.#open.length > KEPT_BUFFER_BYTES) this.#open = NO_BUFFER;
    this.#emitLine(line);
  }

  #emitLine(line: string): void {
    if (line.charCodeAt(line.length - 1) === CARRIAGE_RETURN) line = line.slice(0, -1);
    if (line !== "") this.#emit(line);
  }
}
