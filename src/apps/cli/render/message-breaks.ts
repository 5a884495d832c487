/**
 * Keeps the messages of an answer apart. An agent may send several, and without a tool call between them
 * their texts would run together.
 */
export class MessageBreaks {
  #messageId: string | undefined;
  #last = "";

  /** A piece of the answer, after a blank line if it begins another message. */
  separated(text: string, messageId: string | undefined): string {
    const isNext =
      messageId !== undefined && this.#messageId !== undefined && messageId !== this.#messageId;
    const gap = isNext && this.#last !== "" ? missingNewlines(this.#last) : "";
    this.#messageId = messageId ?? this.#messageId;
    this.#last = `${this.#last}${gap}${text}`.slice(-2);
    return gap + text;
  }

  /** The turn is over. */
  end(): void {
    this.#messageId = undefined;
    this.#last = "";
  }
}

/** The newlines that a text lacks before a blank line. */
function missingNewlines(text: string): string {
  if (text.endsWith("\n\n")) return "";
  return text.endsWith("\n") ? "\n" : "\n\n";
}
