const SEED = 0x811c9dc5;
const PRIME = 0x01000193;

/**
 * Keeps the length and a hash of a text that arrives in pieces, so that the whole text can be
 * compared with it later. Blanks at both ends do not count, since Droid trims them when it stores a
 * message.
 *
 * Keeping the pieces would be simpler, but a long answer would be in memory twice, and its many
 * small pieces would make garbage collection the largest cost of streaming.
 */
export class RunningText {
  /** Length and hash from the first non-blank character. */
  #length = 0;
  #hash = SEED;
  /** The same, up to the last non-blank character. */
  #solidLength = 0;
  #solidHash = SEED;

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  add(piece: string): void {
    let hash = this.#hash;
    let length = this.#length;
    for (let index = 0; index < piece.length; index++) {
      const code = piece.charCodeAt(index);
      const blank = isBlank(code);
      if (length === 0 && blank) continue;
      hash = Math.imul(hash ^ code, PRIME);
      length++;
      if (blank) continue;
      this.#solidHash = hash;
      this.#solidLength = length;
    }
    this.#hash = hash;
    this.#length = length;
  }

  /**
   * The part of the whole text that the pieces lack: empty if the two are the same, undefined if the
   * whole is a different text.
   */
  missingFrom(whole: string): string | undefined {
    const text = whole.trimStart();
    if (matches(text, this.#length, this.#hash)) return text.slice(this.#length);
    if (text.trimEnd().length > this.#solidLength) return undefined;
    return matches(text, this.#solidLength, this.#solidHash) ? "" : undefined;
  }
}

/** Whether the first `length` characters of the text have the expected hash. */
function matches(text: string, length: number, expected: number): boolean {
  if (text.length < length) return false;
  let hash = SEED;
  for (let index = 0; index < length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), PRIME);
  return hash === expected;
}

/** Whether `trim` removes the character. The first test decides for nearly every character. */
function isBlank(code: number): boolean {
  if (code > 0x20 && code < 0xa0) return false;
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || RARE_BLANKS.has(code);
}

const RARE_BLANKS: ReadonlySet<number> = new Set([
  0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009,
  0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff,
]);
