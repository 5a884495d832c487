/** A line as it came, blank lines included. */
export interface RawLine {
  /** Without its newline. Bytes that are not UTF-8 are replaced. */
  readonly text: string;
  readonly isNotUtf8: boolean;
}

const NEWLINE = 0x0a;

/** The limit per connection: 128 MiB. */
const MAX_BYTES = 128 * 1024 * 1024;
/** Every line is kept and judged, which costs more than its bytes. */
const LINE_BYTES = 4096;

/** Why a connection over the limit was closed. Completes "the agent ...". */
export const WROTE_TOO_MUCH = `was ended, because it wrote over ${MAX_BYTES / 1024 / 1024} MiB or ${MAX_BYTES / LINE_BYTES} lines`;

/** Counts what a subject writes on one connection, so that a flood does not fill the memory. */
export class InputBudget {
  #left = MAX_BYTES;

  /** Whether everything is gone. */
  get isSpent(): boolean {
    return this.#left < 0;
  }

  /** Counts bytes and finished lines. Returns false above the limit. */
  take(bytes: number, lines: number): boolean {
    this.#left -= bytes + lines * LINE_BYTES;
    return !this.isSpent;
  }
}

/**
 * Splits bytes into lines and keeps everything that the ordinary splitter forgives: blank lines, byte
 * order marks, carriage returns, and bytes that are not UTF-8. A flood ends it.
 */
export class RawLineSplitter {
  readonly #emit: (line: RawLine) => void;
  readonly #onTooMuch: () => void;
  readonly #budget = new InputBudget();
  #parts: Buffer[] = [];

  /** `onTooMuch` is called once, after the last accepted line. */
  constructor(emit: (line: RawLine) => void, onTooMuch: () => void) {
    this.#emit = emit;
    this.#onTooMuch = onTooMuch;
  }

  push(chunk: Buffer): void {
    if (this.#budget.isSpent) return;
    if (!this.#budget.take(chunk.length, 0)) return this.#stop();
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      if (!this.#budget.take(0, 1)) return this.#stop();
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

  #stop(): void {
    this.#parts = [];
    this.#onTooMuch();
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
