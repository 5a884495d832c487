import { DragomanError } from "../../../base/index.ts";
export interface StreamEvent {
  /** Its data. Several data lines are joined by line breaks. */
  readonly data: string;
  /** The last id that the stream has named, in this event or an earlier one. */
  readonly id: string | undefined;
}

/** An event of a stream is longer than allowed. The channel that it belongs to fails with this error. */
export class EventTooLongError extends DragomanError {
  override readonly name = "EventTooLongError";
  /** The longest event accepted, in characters. */
  readonly limit: number;

  /** Describes a limit, in characters. */
  constructor(limit: number) {
    super("limit_exceeded", `an event of the stream is longer than ${limit} characters`);
    this.limit = limit;
  }
}

const CR = "\r";
const LF = "\n";

/**
 * Reads an event stream piece by piece. Lines may end with CR, LF or both. Comments, unknown fields and
 * events without data are skipped.
 */
export class EventParser {
  readonly #limit: number;
  /** The pieces of a line that has no end yet. They are joined once, so that long lines stay cheap. */
  #line: string[] = [];
  #lineChars = 0;
  #data: string[] = [];
  #dataChars = 0;
  #id: string | undefined;
  /** The last piece ended with CR, so an LF at the start of the next one belongs to it. */
  #afterCr = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The last id that the stream has named, even if no event came with it. */
  get lastId(): string | undefined {
    return this.#id;
  }

  /** The events that a piece completes. Throws {@link EventTooLongError}. */
  push(piece: string): readonly StreamEvent[] {
    const events: StreamEvent[] = [];
    let from = this.#afterCr && piece.startsWith(LF) ? 1 : 0;
    if (piece !== "") this.#afterCr = false;
    // Both positions move forward only, so that each character is looked at once.
    let cr = piece.indexOf(CR, from);
    let lf = piece.indexOf(LF, from);
    while (cr !== -1 || lf !== -1) {
      const end = lf === -1 || (cr !== -1 && cr < lf) ? cr : lf;
      const event = this.#endLine(piece.slice(from, end));
      if (event) events.push(event);
      from = end + (end === cr && lf === cr + 1 ? 2 : 1);
      if (end === cr && end === piece.length - 1) this.#afterCr = true;
      if (cr !== -1 && cr < from) cr = piece.indexOf(CR, from);
      if (lf !== -1 && lf < from) lf = piece.indexOf(LF, from);
    }
    this.#keep(piece.slice(from));
    return events;
  }

  #keep(rest: string): void {
    if (rest === "") return;
    this.#line.push(rest);
    this.#lineChars += rest.length;
    this.#check();
  }

  #endLine(end: string): StreamEvent | undefined {
    const line = this.#line.length === 0 ? end : this.#line.join("") + end;
    this.#line = [];
    this.#lineChars = 0;
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    if (colon === 0) return undefined;
    const field = colon === -1 ? line : line.slice(0, colon);
    const isPadded = line.charAt(colon + 1) === " ";
    const value = colon === -1 ? "" : line.slice(colon + (isPadded ? 2 : 1));
    if (field === "data") {
      this.#data.push(value);
      this.#dataChars += value.length;
      this.#check();
    } else if (field === "id" && !value.includes("\0")) {
      this.#id = value;
    }
    return undefined;
  }

  #check(): void {
    if (this.#dataChars + this.#lineChars > this.#limit) throw new EventTooLongError(this.#limit);
  }

  #dispatch(): StreamEvent | undefined {
    if (this.#data.length === 0) return undefined;
    const event = { data: this.#data.join("\n"), id: this.#id };
    this.#data = [];
    this.#dataChars = 0;
    return event;
  }
}

/** An event as text. The data must be one line. */
export function formatEvent(data: string, id: number): string {
  return `id: ${id}\ndata: ${data}\n\n`;
}

/** Tells the reader the id of the last event before this point, without an event. */
export function formatPosition(id: number): string {
  return `id: ${id}\n\n`;
}

/** A line that keeps a silent stream open. */
export const KEEP_ALIVE = ":\n\n";
