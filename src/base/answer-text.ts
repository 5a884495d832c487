/** How much of an answer is kept: 8 Mi characters. */
const KEPT_CHARS = 8 * 1024 * 1024;

const BLANK_LINE = "\n\n";

/**
 * Joins the pieces of an agent's answer. An agent may write several messages in one turn, such as one
 * before each tool call; a blank line separates them. Only the beginning of a very long answer is kept.
 */
export class AnswerText {
  readonly #limit: number;
  readonly #messages: { readonly id: string | undefined; text: string }[] = [];
  readonly #toolCalls = new Set<string>();
  #length = 0;
  #isAfterToolCall = false;
  #isTruncated = false;

  constructor(limit: number = KEPT_CHARS) {
    this.#limit = limit;
  }

  /** All messages. */
  get text(): string {
    return this.#messages.map(({ text }) => text).join(BLANK_LINE);
  }

  /** The last message. Those before it often only announce a tool call. */
  get finalMessage(): string {
    return this.#messages.at(-1)?.text ?? "";
  }

  /** Whether the end of the answer is missing. */
  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  /** Appends a piece. A new id begins a new message; without ids, the first piece after a tool call does. */
  add(piece: string, messageId?: string): void {
    if (piece === "" || this.#isTruncated) return;
    let last = this.#messages.at(-1);
    const hasIds = messageId !== undefined || last?.id !== undefined;
    const isNew = hasIds ? messageId !== last?.id : this.#isAfterToolCall;
    this.#isAfterToolCall = false;
    if (!last || isNew) {
      if (last) this.#length += BLANK_LINE.length;
      last = { id: messageId, text: "" };
      this.#messages.push(last);
    }
    const room = Math.max(this.#limit - this.#length, 0);
    this.#isTruncated = piece.length > room;
    last.text += this.#isTruncated ? cut(piece, room) : piece;
    this.#length += piece.length;
  }

  /**
   * Takes note of a tool call, which ends a message without an id. Further updates of the same call do
   * not: it may run in the background while the agent writes on.
   */
  toolCall(id: string): void {
    if (this.#toolCalls.has(id)) return;
    this.#toolCalls.add(id);
    this.#isAfterToolCall = true;
  }

  /** Discards the last message with an id, for an agent that writes it anew. */
  retract(messageId: string): void {
    const index = this.#messages.findLastIndex(({ id }) => id === messageId);
    if (index < 0) return;
    // What the limit cut off belonged to the last message.
    if (index === this.#messages.length - 1) this.#isTruncated = false;
    this.#messages.splice(index, 1);
    this.#length = this.text.length;
  }
}

/** The first `length` characters, or one less if a surrogate pair would be split. */
function cut(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length);
}
