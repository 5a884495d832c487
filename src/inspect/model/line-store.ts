import { float64, int32 } from "./columns.ts";

/** Searching decodes one block at a time, so a block is what one slice of work takes. */
const BLOCK_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * Lines of text as UTF-8 in large blocks, which takes the memory of the bytes and no more. A line is decoded
 * when it is asked for. Lines in a block are separated by newlines, so they must not contain any.
 */
export class LineStore {
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #blocks: Block[] = [];
  readonly #block = int32();
  readonly #offset = int32();
  readonly #length = float64();
  #bytes = 0;

  /** How many lines there are. */
  get count(): number {
    return this.#block.count;
  }

  /** How many bytes all lines have together. */
  get bytes(): number {
    return this.#bytes;
  }

  /** How many blocks there are. */
  get blocks(): number {
    return this.#blocks.length;
  }

  /** Adds a line and returns its row. Newlines in it are stored as spaces. */
  push(line: string): number {
    const text = line.includes("\n") ? line.replaceAll("\n", " ") : line;
    const row = this.count;
    // A UTF-16 unit takes at most three bytes.
    const block = this.#blockFor(3 * text.length + 1, row, text);
    const { written } = this.#encoder.encodeInto(text, block.data.subarray(block.used));
    this.#block.push(this.#blocks.length - 1);
    this.#offset.push(block.used);
    this.#length.push(written);
    block.used += written;
    block.data[block.used++] = NEWLINE;
    this.#bytes += written;
    return row;
  }

  /** The bytes of a line. */
  size(row: number): number {
    const length = this.#length.get(row);
    return Number.isNaN(length) ? 0 : length;
  }

  /** The line; empty if there is no such row. With `maxBytes`, only its beginning. */
  text(row: number, maxBytes = Number.POSITIVE_INFINITY): string {
    const block = this.#blocks[this.#block.get(row)];
    if (!block) return "";
    const start = this.#offset.get(row);
    const end = start + Math.min(this.size(row), maxBytes);
    return this.#decoder.decode(block.data.subarray(start, end));
  }

  /** The rows of a block: its first one, and the one after its last. */
  blockRows(index: number): { readonly first: number; readonly last: number } {
    const first = this.#blocks[index]?.first ?? this.count;
    return { first, last: this.#blocks[index + 1]?.first ?? this.count };
  }

  /** The lines of a block, each with its newline. */
  blockText(index: number): string {
    const block = this.#blocks[index];
    return block ? this.#decoder.decode(block.data.subarray(0, block.used)) : "";
  }

  #blockFor(most: number, row: number, text: string): Block {
    const last = this.#blocks.at(-1);
    if (last && last.data.length - last.used >= most) return last;
    // The last block keeps its unused end: at most three times the length of one line. A long line gets a
    // block of exactly its size, which is measured first.
    const size = most > BLOCK_BYTES / 4 ? byteLength(text) + 1 : BLOCK_BYTES;
    if (last && last.data.length - last.used >= size) return last;
    const block = { data: new Uint8Array(size), used: 0, first: row };
    this.#blocks.push(block);
    return block;
  }
}

interface Block {
  readonly data: Uint8Array;
  used: number;
  /** The row of its first line. */
  readonly first: number;
}

/** How many bytes a text takes in UTF-8. A lone half of a surrogate pair is written as three bytes. */
function byteLength(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else {
      bytes += 2;
      // A pair of two units takes four bytes.
      const isPair = unit >= 0xd800 && unit < 0xdc00 && isLowHalf(text.charCodeAt(at + 1));
      if (isPair) at++;
    }
  }
  return bytes;
}

function isLowHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
