/** A command may write byte by byte, and a million small buffers cost far more than their bytes. */
const MAX_CHUNKS = 512;

/**
 * Keeps the last bytes that a command wrote, up to the limit. `text` returns whole characters only,
 * both at the start, where the output was cut, and at the end, where one may still be incomplete.
 */
export class OutputBuffer {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #truncated = false;
  #complete = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get truncated(): boolean {
    return this.#truncated;
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    this.#trim();
    if (this.#chunks.length > MAX_CHUNKS) this.#merge();
  }

  /** Ends the output. From now on, `text` includes half a character at the end. */
  complete(): void {
    this.#complete = true;
  }

  text(): string {
    const all = this.#merge();
    const start = this.#truncated ? wholeStart(all, 0) : 0;
    const end = this.#complete ? all.length : wholeEnd(all);
    const text = all.toString("utf8", Math.min(start, end), end);
    return this.#fit(text);
  }

  /**
   * The text, but starting at a whole line if its beginning was cut: half of a line may begin in the
   * middle of a secret, which then could not be recognized.
   */
  wholeLines(): string {
    const text = this.text();
    const start = this.#truncated ? text.indexOf("\n") + 1 : 0;
    return start < text.length ? text.slice(start) : text;
  }

  /** Cuts the text once more, because each byte that is not valid UTF-8 becomes three bytes. */
  #fit(text: string): string {
    const bytes = Buffer.from(text, "utf8");
    if (bytes.length <= this.#limit) return text;
    this.#truncated = true;
    return bytes.toString("utf8", wholeStart(bytes, bytes.length - this.#limit));
  }

  #merge(): Buffer {
    const all = Buffer.concat(this.#chunks, this.#bytes);
    this.#chunks = [all];
    return all;
  }

  #trim(): void {
    let over = this.#bytes - this.#limit;
    if (over <= 0) return;
    this.#truncated = true;
    let whole = 0;
    for (const chunk of this.#chunks) {
      if (chunk.length > over) break;
      over -= chunk.length;
      this.#bytes -= chunk.length;
      whole++;
    }
    if (whole > 0) this.#chunks.splice(0, whole);
    const [first] = this.#chunks;
    if (!first || over === 0) return;
    this.#chunks[0] = first.subarray(over);
    this.#bytes -= over;
  }
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Pure: the first index from `start` on where a character starts. */
function wholeStart(bytes: Buffer, start: number): number {
  let at = start;
  while (at - start < 4 && isContinuation(bytes[at])) at++;
  return at;
}

/** Pure: the last index that does not cut a character of UTF-8. */
export function wholeEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
