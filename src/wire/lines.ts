/** How long one line may be before the connection is given up: 64 MiB. */
export const DEFAULT_MAX_LINE_BYTES = 64 * 1024 * 1024;

const NEWLINE = 0x0a;

/** A line grew past the limit; the connection it came from is closed with this error. */
export class LineTooLongError extends Error {
  override readonly name = "LineTooLongError";
  readonly limit: number;

  constructor(limit: number) {
    super(`a line is longer than the limit of ${limit} bytes`);
    this.limit = limit;
  }
}

/**
 * Cuts a stream of bytes into lines.
 *
 * Lines end in LF or CRLF; empty ones are dropped. Bytes are decoded only where a line is complete,
 * so a character split over two chunks survives, and the cost is linear however a line is chunked.
 */
export class LineSplitter {
  readonly #emit: (line: string) => void;
  readonly #limit: number;
  #open: Buffer[] = [];
  #openBytes = 0;

  constructor(emit: (line: string) => void, limit: number = DEFAULT_MAX_LINE_BYTES) {
    this.#emit = emit;
    this.#limit = limit;
  }

  /** Takes the next bytes and emits every line they complete. Throws {@link LineTooLongError}. */
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

  /** Ends the stream: what stands after the last newline is emitted as a line. */
  end(): void {
    this.#flush();
  }

  /** Whole lines are decoded in one go: one decoder call per chunk instead of one per line. */
  #emitBlock(chunk: Buffer, start: number, end: number): void {
    const text = chunk.toString("utf8", start, end);
    const mayExceed = end - start > this.#limit;
    let from = 0;
    while (from <= text.length) {
      let to = text.indexOf("\n", from);
      if (to === -1) to = text.length;
      if (to > from) {
        const line = text.slice(from, to);
        if (mayExceed && Buffer.byteLength(line) > this.#limit)
          throw new LineTooLongError(this.#limit);
        this.#emitLine(line);
      }
      from = to + 1;
    }
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#openBytes += bytes.length;
    if (this.#openBytes > this.#limit) {
      this.#open = [];
      throw new LineTooLongError(this.#limit);
    }
    this.#open.push(bytes);
  }

  #flush(): void {
    if (this.#openBytes === 0) return;
    const [only] = this.#open;
    const bytes =
      this.#open.length === 1 && only ? only : Buffer.concat(this.#open, this.#openBytes);
    this.#open = [];
    this.#openBytes = 0;
    this.#emitLine(bytes.toString("utf8"));
  }

  #emitLine(line: string): void {
    if (line.charCodeAt(line.length - 1) === 0x0d) line = line.slice(0, -1);
    if (line !== "") this.#emit(line);
  }
}
