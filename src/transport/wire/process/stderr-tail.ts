/** How much of a process's stderr is kept to explain why it ended. */
export const STDERR_TAIL_BYTES = 16 * 1024;

/** Keeps the last bytes of a stream, and never holds more than twice the limit. */
export class StderrTail {
  #chunks: Buffer[] = [];
  #bytes = 0;

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > 2 * STDERR_TAIL_BYTES) this.#compact();
  }

  /**
   * The tail as text, starting at a whole line if it has one, or else at a whole character. Half of a
   * line may begin in the middle of a secret, which then could not be recognised.
   */
  text(): string {
    this.#compact();
    const [bytes] = this.#chunks;
    if (!bytes) return "";
    let start = 0;
    if (this.#cut) while (start < 4 && isContinuation(bytes[start])) start++;
    const line = this.#cut ? bytes.indexOf("\n") + 1 : 0;
    return bytes.toString("utf8", line < bytes.length ? Math.max(start, line) : start);
  }

  #cut = false;

  #compact(): void {
    const all = Buffer.concat(this.#chunks);
    const kept =
      all.length > STDERR_TAIL_BYTES ? Buffer.from(all.subarray(-STDERR_TAIL_BYTES)) : all;
    if (kept.length < all.length) this.#cut = true;
    this.#chunks = [kept];
    this.#bytes = kept.length;
  }
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
