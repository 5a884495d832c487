import type { WireMessage } from "../message.ts";

/** The values of a new row. Everything else is added as it becomes known. */
export interface NewFrame {
  readonly ms: number;
  readonly direction: "in" | "out";
  readonly line: string;
  readonly kind: FrameKind;
  readonly method: string;
  readonly idKey: string;
  readonly update: string;
  readonly lane: string;
}

/** Names come from agents, so there may be any number of them. The column of names has 16 bits. */
const MOST_NAMES = 65_535;

/**
 * The frames of a recording: the bytes of each line, and one typed column for each fact about it. A frame is a
 * row, counted from 0. References to other things are their numbers, and -1 where there is none.
 */
export class FrameTable {
  readonly lines = new LineStore();
  readonly #names = new TextTable(MOST_NAMES);
  readonly #ids = new TextTable();
  readonly #ms = float64();
  readonly #direction = uint8();
  readonly #kind = uint8();
  readonly #method = uint16();
  readonly #update = uint16();
  readonly #lane = uint16();
  readonly #id = int32();
  readonly #references = {
    pair: int32(),
    session: int32(),
    turn: int32(),
    tool: int32(),
    item: int32(),
    next: int32(),
  };

  get count(): number {
    return this.#ms.count;
  }

  /** The last time in the table; 0 if it is empty. */
  get lastMs(): number {
    return this.count === 0 ? 0 : this.#ms.get(this.count - 1);
  }

  push(frame: NewFrame): number {
    this.#ms.push(frame.ms);
    this.#direction.push(frame.direction === "in" ? 0 : 1);
    this.#kind.push(FRAME_KINDS.indexOf(frame.kind));
    this.#method.push(this.#names.add(frame.method));
    this.#update.push(this.#names.add(frame.update));
    this.#lane.push(this.#names.add(frame.lane));
    this.#id.push(this.#ids.add(frame.idKey));
    for (const column of Object.values(this.#references)) column.push(-1);
    return this.lines.push(frame.line);
  }

  ms(row: number): number {
    return this.#ms.get(row);
  }

  /** `in` is what the client received. */
  direction(row: number): "in" | "out" {
    return this.#direction.get(row) === 1 ? "out" : "in";
  }

  kind(row: number): FrameKind {
    return FRAME_KINDS[this.#kind.get(row)] ?? "other";
  }

  /** The method; for a response, the method of its request. Empty if it is unknown. */
  method(row: number): string {
    return this.#names.text(this.#method.get(row));
  }

  /** The kind of the update in a `session/update`; otherwise empty. */
  update(row: number): string {
    return this.#names.text(this.#update.get(row));
  }

  /** The connection, in a capture of several; otherwise empty. */
  lane(row: number): string {
    return this.#names.text(this.#lane.get(row));
  }

  /** The id as JSON; empty without one. */
  id(row: number): string {
    return this.#ids.text(this.#id.get(row));
  }

  /** The request of a response, or the response of a request. */
  pair(row: number): number {
    return this.#references.pair.get(row);
  }

  session(row: number): number {
    return this.#references.session.get(row);
  }

  turn(row: number): number {
    return this.#references.turn.get(row);
  }

  tool(row: number): number {
    return this.#references.tool.get(row);
  }

  /** The item of the conversation that the frame belongs to. */
  item(row: number): number {
    return this.#references.item.get(row);
  }

  next(row: number): number {
    return this.#references.next.get(row);
  }

  size(row: number): number {
    return this.lines.size(row);
  }

  line(row: number): string {
    return this.lines.text(row);
  }

  /** The milliseconds between a request and its response, for both; undefined without a pair. */
  latency(row: number): number | undefined {
    const pair = this.pair(row);
    return pair < 0 ? undefined : Math.abs(this.ms(pair) - this.ms(row));
  }

  setPair(request: number, response: number): void {
    this.set("pair", request, response);
    this.set("pair", response, request);
    this.#method.set(response, this.#method.get(request));
  }

  set(
    reference: "pair" | "session" | "turn" | "tool" | "item" | "next",
    row: number,
    to: number,
  ): void {
    this.#references[reference].set(row, to);
  }
}

/**
 * Searching decodes one block at a time, so a block is at most what one slice of work takes. Texts that wait for
 * larger blocks would outlive the garbage collector's first round, and take several times the memory.
 */
const BLOCK_CHARS = 32 * 1024;
const NEWLINE = 0x0a;

/**
 * Lines of text as UTF-8 in large blocks, which takes the memory of the bytes and no more. The newest lines are
 * texts until there are enough for a block, because encoding them one by one takes several times as long. Lines
 * in a block are separated by newlines, so they must not contain any.
 */
export class LineStore {
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #blocks: Block[] = [];
  /** Where each line of a block begins, and how long it is, in bytes. */
  readonly #offset = int32();
  readonly #length = int32();
  /** The lines after the last block. */
  #newest: string[] = [];
  #newestChars = 0;
  #bytes = 0;

  get count(): number {
    return this.#length.count + this.#newest.length;
  }

  get bytes(): number {
    return this.#bytes + this.#encoder.encode(this.#newest.join("")).length;
  }

  /** How many blocks there are, with the newest lines. */
  get blocks(): number {
    return this.#blocks.length + (this.#newest.length > 0 ? 1 : 0);
  }

  /** Adds a line and returns its row. Newlines in it are stored as spaces. */
  push(line: string): number {
    this.#newest.push(line.includes("\n") ? line.replaceAll("\n", " ") : line);
    this.#newestChars += line.length + 1;
    const row = this.count - 1;
    if (this.#newestChars >= BLOCK_CHARS) this.#closeBlock();
    return row;
  }

  size(row: number): number {
    const { count } = this.#length;
    if (row < count) return this.#length.get(row);
    return this.#encoder.encode(this.#newest[row - count]).length;
  }

  /** The line; empty if there is no such row. With `maxBytes`, only its beginning. */
  text(row: number, maxBytes = Number.POSITIVE_INFINITY): string {
    const { count } = this.#length;
    if (row >= count) return this.#newest[row - count]?.slice(0, maxBytes) ?? "";
    const block = this.#blockOf(row);
    if (!block) return "";
    const start = this.#offset.get(row);
    const end = start + Math.min(this.size(row), maxBytes);
    return this.#decoder.decode(block.data.subarray(start, end));
  }

  /** The rows of a block: its first one, and the one after its last. */
  blockRows(index: number): { readonly first: number; readonly last: number } {
    const first = this.#blocks[index]?.first ?? this.#length.count;
    const next = this.#blocks[index + 1]?.first;
    return { first, last: next ?? (this.#blocks[index] ? this.#length.count : this.count) };
  }

  /** The lines of a block, each with its newline. */
  blockText(index: number): string {
    const block = this.#blocks[index];
    return block ? this.#decoder.decode(block.data) : this.#newestText();
  }

  #blockOf(row: number): Block | undefined {
    let [low, high] = [0, this.#blocks.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#blocks[middle]?.first ?? 0) <= row) low = middle;
      else high = middle;
    }
    return this.#blocks[low];
  }

  #newestText(): string {
    return `${this.#newest.join("\n")}\n`;
  }

  #closeBlock(): void {
    const text = this.#newestText();
    const data = this.#encoder.encode(text);
    const isAscii = data.length === text.length;
    this.#blocks.push({ data, first: this.#length.count });
    let start = 0;
    for (const line of this.#newest) {
      const size = isAscii ? line.length : data.indexOf(NEWLINE, start) - start;
      this.#offset.push(start);
      this.#length.push(size);
      this.#bytes += size;
      start += size + 1;
    }
    this.#newest = [];
    this.#newestChars = 0;
  }
}

interface Block {
  readonly data: Uint8Array;
  /** The row of its first line. */
  readonly first: number;
}

type Numbers = Float64Array | Int32Array | Uint16Array | Uint8Array;

const FIRST_CAPACITY = 256;

/** A column of numbers that grows. Each number takes only the bytes of its type. */
export class Column {
  readonly #make: (capacity: number) => Numbers;
  #data: Numbers;
  #count = 0;

  /** `make` creates a typed array, such as `(size) => new Int32Array(size)`. */
  constructor(make: (capacity: number) => Numbers) {
    this.#make = make;
    this.#data = make(FIRST_CAPACITY);
  }

  get count(): number {
    return this.#count;
  }

  push(value: number): void {
    if (this.#count === this.#data.length) {
      const grown = this.#make(2 * this.#count);
      grown.set(this.#data);
      this.#data = grown;
    }
    this.#data[this.#count++] = value;
  }

  /** The number in a row; NaN if there is no such row. */
  get(row: number): number {
    return row < this.#count ? (this.#data[row] ?? Number.NaN) : Number.NaN;
  }

  set(row: number, value: number): void {
    if (row < this.#count) this.#data[row] = value;
  }
}

/** A column of 32-bit integers. -1 stands for nothing. */
export const int32 = (): Column => new Column((size) => new Int32Array(size));
const float64 = (): Column => new Column((size) => new Float64Array(size));
const uint16 = (): Column => new Column((size) => new Uint16Array(size));
const uint8 = (): Column => new Column((size) => new Uint8Array(size));

/** Gives each different text a small number. The empty text is 0. */
class TextTable {
  readonly #numbers = new Map<string, number>([["", 0]]);
  readonly #texts: string[] = [""];
  readonly #limit: number;

  /** Texts beyond the limit are all stored as `…`, so that hostile names cannot fill the memory. */
  constructor(limit = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
  }

  get texts(): readonly string[] {
    return this.#texts;
  }

  /** The number of a text, which is added if it is new. */
  add(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    if (this.#texts.length >= this.#limit && text !== "…") return this.add("…");
    const number = this.#texts.push(text) - 1;
    this.#numbers.set(text, number);
    return number;
  }

  text(number: number): string {
    return this.#texts[number] ?? "";
  }
}

/** The kinds of frames, in the order of their numbers. An `error` is a response with an error. */
const FRAME_KINDS = [
  "request",
  "response",
  "error",
  "notification",
  "noise",
  "batch",
  "other",
] as const;

export type FrameKind = (typeof FRAME_KINDS)[number];

export function frameKind(message: WireMessage): FrameKind {
  if (message.kind === "none") return message.form;
  return message.kind === "result" ? "response" : message.kind;
}
