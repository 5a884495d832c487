import { int32 } from "./columns.ts";

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

  /** How many lines there are. */
  get count(): number {
    return this.#length.count + this.#newest.length;
  }

  /** How many bytes all lines have together. */
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

  /** The bytes of a line. */
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
