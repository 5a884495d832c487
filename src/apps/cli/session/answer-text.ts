/** How much of an answer is kept for the result: 8 Mi characters. */
export const KEPT_ANSWER_CHARS = 8 * 1024 * 1024;

/**
 * The text of an answer, for the result of the turn. The pieces of an answer are printed as they arrive,
 * so only the beginning of a very long one is kept.
 */
export class AnswerText {
  readonly #limit: number;
  #text = "";
  #truncated = false;
  #start = 0;

  constructor(limit: number = KEPT_ANSWER_CHARS) {
    this.#limit = limit;
  }

  get text(): string {
    return this.#text;
  }

  /** The text after the last tool call. The text before it may only announce that call. */
  get finalText(): string {
    return this.#text.slice(this.#start);
  }

  /** Whether a part of the answer is missing. */
  get truncated(): boolean {
    return this.#truncated;
  }

  /** A tool call begins. */
  toolCall(): void {
    this.#start = this.#text.length;
  }

  add(piece: string): void {
    if (this.#truncated || piece === "") return;
    const room = this.#limit - this.#text.length;
    this.#truncated = piece.length > room;
    this.#text += this.#truncated ? cut(piece, room) : piece;
  }
}

/** The first `length` characters, or one less if a surrogate pair would be split. */
function cut(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length);
}
