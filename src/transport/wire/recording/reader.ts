import { parseJson } from "../../../base/index.ts";
import { DEFAULT_MAX_LINE_BYTES } from "../lines/limit.ts";
import { LineSplitter } from "../lines/splitter.ts";
import {
  isRecordedLine,
  type RecordedEvent,
  type RecordedLine,
  RecordingError,
  type RecordingEntry,
  type RecordingHeader,
  toRecordingEntry,
  toRecordingHeader,
} from "./format.ts";

/** The last line of a recording, if the program that wrote it was ended in the middle of it. */
export interface CutLine {
  /** The number of the line, counted from 1 without empty lines. */
  readonly line: number;
  /** How many characters of it there are. */
  readonly length: number;
}

/** Receives a recording piece by piece. */
export interface RecordingHandlers {
  /** Gets the first line. */
  readonly header: (header: RecordingHeader) => void;
  /** Gets every other line, in order. */
  readonly entry: (entry: RecordingEntry) => void;
  /** Gets an invalid line, which is then skipped. Default: the reader throws the error. */
  readonly fault?: ((error: RecordingError) => void) | undefined;
}

/** A wire line is quoted in a recording, which at most doubles the length of ordinary lines. */
const MAX_ENTRY_BYTES = 2 * DEFAULT_MAX_LINE_BYTES;

/**
 * Reads a recording of version 1 or 2 as its bytes arrive, in any pieces. It keeps only the unfinished
 * line. A last line without a newline that is not JSON was cut, which `end` reports.
 */
export class RecordingReader {
  readonly #handlers: RecordingHandlers;
  readonly #lines: LineSplitter;
  readonly #encoder = new TextEncoder();
  #header: RecordingHeader | undefined;
  #count = 0;
  #isLast = false;
  #cut: CutLine | undefined;

  /** Calls the handlers from `push` and `end`. */
  constructor(handlers: RecordingHandlers) {
    this.#handlers = handlers;
    this.#lines = new LineSplitter((line) => this.#read(line), MAX_ENTRY_BYTES);
  }

  /**
   * Adds bytes or text. Throws a {@link RecordingError} for an invalid header, and for any invalid line
   * if there is no `fault` handler. Throws a LineTooLongError for a line of more than 128 MiB.
   */
  push(chunk: Uint8Array | string): void {
    this.#lines.push(typeof chunk === "string" ? this.#encoder.encode(chunk) : chunk);
  }

  /** Ends the recording. Throws like `push`, and if the recording is empty. */
  end(): CutLine | undefined {
    // Only a line without its newline is left.
    this.#isLast = true;
    this.#lines.end();
    if (this.#header === undefined) throw new RecordingError("the recording is empty");
    return this.#cut;
  }

  #read(line: string): void {
    if (line.trim() === "") return;
    const number = ++this.#count;
    if (this.#header === undefined) {
      const value = parseJson(line);
      if (value === undefined) throw notJson(number);
      this.#header = toRecordingHeader(value, number);
      this.#handlers.header(this.#header);
      return;
    }
    const entry = this.#entry(line, number);
    if (entry) this.#handlers.entry(entry);
  }

  #entry(line: string, number: number): RecordingEntry | undefined {
    const value = parseJson(line);
    if (value === undefined && this.#isLast) {
      this.#cut = { line: number, length: line.length };
      return undefined;
    }
    try {
      if (value === undefined) throw notJson(number);
      return toRecordingEntry(value, number);
    } catch (error) {
      return this.#fault(error);
    }
  }

  #fault(error: unknown): undefined {
    const { fault } = this.#handlers;
    if (fault === undefined || !(error instanceof RecordingError)) throw error;
    fault(error);
  }
}

function notJson(number: number): RecordingError {
  return new RecordingError(`line ${number} of the recording is not JSON`, number);
}

/** A recording in memory. */
export interface Recording {
  /** The first line. */
  readonly header: RecordingHeader;
  /** The lines from the wire, in order. */
  readonly lines: readonly RecordedLine[];
  /** Everything else, in order. */
  readonly events: readonly RecordedEvent[];
  /** The last line, if it was cut. */
  readonly cut: CutLine | undefined;
}

/**
 * Parses a whole recording. Throws {@link RecordingError}, which names the invalid line. Use
 * {@link RecordingReader} for large ones.
 */
export function parseRecording(text: string): Recording {
  let header: RecordingHeader | undefined;
  const lines: RecordedLine[] = [];
  const events: RecordedEvent[] = [];
  const reader = new RecordingReader({
    header: (first) => {
      header = first;
    },
    entry: (entry) => {
      if (isRecordedLine(entry)) lines.push(entry);
      else events.push(entry);
    },
  });
  reader.push(text);
  const cut = reader.end();
  if (header === undefined) throw new RecordingError("the recording is empty");
  return { header, lines, events, cut };
}
