/** A line as it came, blank lines included. */
export interface RawLine {
  /** Without its newline. Bytes that are not UTF-8 are replaced. */
  readonly text: string;
  readonly isNotUtf8: boolean;
}

const NEWLINE = 0x0a;

/**
 * Splits bytes into lines and keeps everything that the ordinary splitter forgives: blank lines, byte
 * order marks, carriage returns, and bytes that are not UTF-8.
 */
export class RawLineSplitter {
  readonly #emit: (line: RawLine) => void;
  #parts: Buffer[] = [];

  constructor(emit: (line: RawLine) => void) {
    this.#emit = emit;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#parts.push(chunk.subarray(start, end));
      this.#flush();
      start = end + 1;
    }
    if (start < chunk.length) this.#parts.push(chunk.subarray(start));
  }

  /** Ends the stream. Text after the last newline counts as a line. */
  end(): void {
    if (this.#parts.length > 0) this.#flush();
  }

  #flush(): void {
    const bytes = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#emit(decode(bytes));
  }
}

function decode(bytes: Buffer): RawLine {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { text, isNotUtf8: false };
  } catch {
    return { text: bytes.toString("utf8"), isNotUtf8: true };
  }
}
