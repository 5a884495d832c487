/** How much of an answer is kept: 8 Mi characters. */
const KEPT_CHARS = 8 * 1024 * 1024;

const BLANK_LINE = "\n\n";

/**
 * Joins the pieces of an agent's answer. An agent may write several messages in one turn, such as one
 * before each tool call; a blank line separates them. Only the beginning of a very long answer is kept.
 */
export class AnswerText {
  readonly #limit: number;
  #text = "";
  /** Where each message begins. */
  readonly #messages: { readonly id: string | undefined; readonly start: number }[] = [];
  readonly #toolCalls = new Set<string>();
  #isAfterToolCall = false;
  #isTruncated = false;

  constructor(limit: number = KEPT_CHARS) {
    this.#limit = limit;
  }

  /** All messages. */
  get text(): string {
    return this.#text;
  }

  /** The last message. Those before it often only announce a tool call. */
  get finalMessage(): string {
    return this.#text.slice(this.#messages.at(-1)?.start);
  }

  /** Whether the end of the answer is missing. */
  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  /** Appends a piece. A new id begins a new message; without ids, the first piece after a tool call does. */
  add(piece: string, messageId?: string): void {
    if (piece === "" || this.#isTruncated) return;
    const last = this.#messages.at(-1);
    const hasIds = messageId !== undefined || last?.id !== undefined;
    const isNew = hasIds ? messageId !== last?.id : this.#isAfterToolCall;
    this.#isAfterToolCall = false;
    if (!last || isNew) {
      if (last) this.#append(BLANK_LINE);
      this.#messages.push({ id: messageId, start: this.#text.length });
    }
    this.#append(piece);
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
    const message = this.#messages[index];
    if (!message) return;
    const [, ...later] = this.#messages.splice(index);
    const [next] = later;
    const before = this.#text.slice(0, message.start);
    if (next) {
      const gone = next.start - message.start;
      this.#text = before + this.#text.slice(next.start);
      for (const one of later) this.#messages.push({ ...one, start: one.start - gone });
    } else {
      this.#text = index > 0 ? before.slice(0, -BLANK_LINE.length) : before;
      this.#isTruncated = false;
    }
  }

  #append(piece: string): void {
    const room = this.#limit - this.#text.length;
    this.#isTruncated = piece.length > room;
    this.#text += this.#isTruncated ? cut(piece, room) : piece;
  }
}

/** The first `length` characters, or one less if a surrogate pair would be split. */
function cut(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length);
}
