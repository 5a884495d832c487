import { isJsonObject, type JsonObject, parseJson } from "../../base/index.ts";
import { LineSplitter } from "../../transport/wire/index.ts";
import { readAcpDevtools, readZedMessages } from "./whole-formats.ts";
import {
  acpInspectorFormat,
  agentFramesFormat,
  conductorFormat,
  directionJsonFormat,
  dragomanFormat,
  jsonLinesFormat,
} from "./line-formats.ts";
import { readAgentShell } from "./agent-shell.ts";
import {
  type ImportLoss,
  lossesOf,
  type SessionEntry,
  SessionFormatError,
  type SessionHeader,
  type SessionImport,
  type LineFormat,
  type LineFormatReader,
} from "./format.ts";

/** In the order in which they are tried. The last one is the least particular. */
const LINE_FORMATS: readonly LineFormat[] = [
  dragomanFormat,
  acpInspectorFormat,
  conductorFormat,
  directionJsonFormat,
  agentFramesFormat,
  jsonLinesFormat,
];

/** A text that is one value must be parsed as a whole, so it is kept in memory. */
const MAX_WHOLE_CHARS = 256 * 1024 * 1024;
/** A line of a recording quotes a line of up to 64 MiB. */
const MAX_LINE_BYTES = 128 * 1024 * 1024;

export interface ImportHandlers {
  /** Gets the header, before the first entry. */
  readonly header: (header: SessionHeader) => void;
  readonly entry: (entry: SessionEntry) => void;
}

/**
 * Reads a session in any of the formats, which it recognizes by the content. Formats of one object per line
 * are read as their bytes arrive, and only the unfinished line is kept; the others are read at the end.
 */
export class SessionReader {
  readonly #handlers: ImportHandlers;
  readonly #lines = new LineSplitter((line) => this.#line(line), MAX_LINE_BYTES);
  readonly #encoder = new TextEncoder();
  #format: LineFormatReader | undefined;
  /** The lines so far while no format of lines was recognized. */
  #whole: string[] = [];
  #wholeChars = 0;
  #unreadable = 0;
  #isLast = false;
  #isCut = false;

  /** Calls the handlers from `push` and `end`. */
  constructor(handlers: ImportHandlers) {
    this.#handlers = handlers;
  }

  /** Whether the text has a format of one object per line, in which a file can grow. */
  get hasLineFormat(): boolean {
    return this.#format !== undefined;
  }

  /** Adds bytes or text. Throws a SessionFormatError, and a LineTooLongError for more than 128 MiB. */
  push(chunk: Uint8Array | string): void {
    this.#lines.push(typeof chunk === "string" ? this.#encoder.encode(chunk) : chunk);
  }

  /** Ends the text and returns what it lacks. Throws a SessionFormatError if the format is unknown. */
  end(): readonly ImportLoss[] {
    // Only a line without its newline is left.
    this.#isLast = true;
    this.#lines.end();
    if (!this.#format) {
      const lines = this.#whole;
      this.#whole = [];
      const whole = readWhole(lines.join("\n"));
      if (whole) {
        this.#handlers.header(whole.header);
        for (const entry of whole.entries) this.#handlers.entry(entry);
        return whole.losses;
      }
      this.#readAsMessages(lines);
    }
    return [
      ...(this.#format?.losses() ?? []),
      ...lossesOf(this.#isCut && "cut", ["unreadable", this.#unreadable]),
    ];
  }

  #line(text: string): void {
    if (text.trim() === "") return;
    if (this.#format) return this.#entry(this.#format, text);
    if (this.#whole.length === 0) {
      const first = parseJson(text);
      const format = isJsonObject(first) && LINE_FORMATS.find(({ matches }) => matches(first));
      if (format) {
        this.#format = format.open(first);
        this.#handlers.header(this.#format.header);
        return this.#read(this.#format, first, text);
      }
    }
    this.#wholeChars += text.length;
    if (this.#wholeChars > MAX_WHOLE_CHARS)
      throw new SessionFormatError(
        "the file is too large for its format, or its format is unknown",
      );
    this.#whole.push(text);
  }

  #entry(format: LineFormatReader, text: string): void {
    const value = parseJson(text);
    if (isJsonObject(value)) return this.#read(format, value, text);
    if (this.#isLast && value === undefined) this.#isCut = true;
    else this.#unreadable++;
  }

  #read(format: LineFormatReader, value: JsonObject, text: string): void {
    const entry = format.read(value, text);
    if (entry === "unreadable") this.#unreadable++;
    else if (entry) this.#handlers.entry(entry);
  }

  /** Messages after lines of another kind, such as the output of an agent that prints before it speaks. */
  #readAsMessages(lines: readonly string[]): void {
    const start = lines.findIndex((line) => {
      const value = parseJson(line);
      return isJsonObject(value) && jsonLinesFormat.matches(value);
    });
    if (start === -1) throw unknownFormat(lines);
    this.#unreadable += start;
    for (const line of lines.slice(start)) {
      this.#whole = [];
      this.#line(line);
    }
  }
}

function readWhole(text: string): SessionImport | undefined {
  const lisp = readAgentShell(text);
  if (lisp) return lisp;
  const value = parseJson(text);
  return readAcpDevtools(value) ?? readZedMessages(value);
}

function unknownFormat(lines: readonly string[]): SessionFormatError {
  return new SessionFormatError(
    lines.length === 0
      ? "the file is empty"
      : "the file is not a recording, and not a capture of any other program that is known",
  );
}

/** Reads a whole text. Throws a SessionFormatError. Use {@link SessionReader} for large ones. */
export function importSession(text: string | Uint8Array): SessionImport {
  let header: SessionHeader | undefined;
  const entries: SessionEntry[] = [];
  const reader = new SessionReader({
    header: (first) => {
      header = first;
    },
    entry: (entry) => entries.push(entry),
  });
  reader.push(text);
  const losses = reader.end();
  if (!header) throw unknownFormat([]);
  return { header, entries, losses };
}
