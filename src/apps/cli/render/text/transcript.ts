import {
  type ContentBlock,
  type MessagePosition,
  nextMessage,
  type Update,
} from "../../../../protocol/acp/index.ts";
import { ToolProgress } from "./tools.ts";

export type Speaker = "You" | "Agent";

/**
 * How a conversation is written. Each method returns the text to print. Text arrives in pieces, and a
 * piece may end in the middle of a character of two UTF-16 units.
 */
export interface TranscriptFormat {
  /** The text before the conversation. */
  readonly begin: string;
  /** The text between two parts. */
  readonly between: string;
  /** The text after the conversation, which may be empty. */
  end(isEmpty: boolean): string;
  /** The begin of a message. */
  message(who: Speaker): string;
  piece(text: string): string;
  readonly endMessage: string;
  tool(title: string, status: string): string;
}

/** Prints a replayed conversation, piece by piece. */
export class Transcript {
  readonly #format: TranscriptFormat;
  readonly #tools = new ToolProgress(() => 0);
  readonly #print: (text: string) => void;
  #position: MessagePosition | undefined;
  #isEmpty = true;
  #inMessage = false;

  constructor(format: TranscriptFormat, print: (text: string) => void) {
    this.#format = format;
    this.#print = print;
    print(format.begin);
  }

  add(update: Update): void {
    const position = nextMessage(this.#position, update);
    const isNew = position !== this.#position;
    this.#position = position;
    switch (update.type) {
      case "user_message_chunk":
        this.#piece(isNew, "You", textOf(update.content));
        return;
      case "agent_message_chunk":
        this.#piece(isNew, "Agent", textOf(update.content));
        return;
      case "tool_call":
      case "tool_call_update": {
        const { call, status } = this.#tools.take(update);
        if (status === undefined || status === "in_progress") return;
        this.#part(this.#format.tool(call.title, status));
        return;
      }
      default:
      // Other updates are not part of the conversation.
    }
  }

  /** Ends the last message and the conversation. */
  end(): void {
    this.#endMessage();
    this.#print(this.#format.end(this.#isEmpty));
  }

  #piece(isNew: boolean, who: Speaker, text: string): void {
    if (isNew || !this.#inMessage) this.#part(this.#format.message(who));
    this.#inMessage = true;
    this.#print(this.#format.piece(text));
  }

  #part(text: string): void {
    this.#endMessage();
    if (!this.#isEmpty) this.#print(this.#format.between);
    this.#isEmpty = false;
    this.#print(text);
  }

  #endMessage(): void {
    if (this.#inMessage) this.#print(this.#format.endMessage);
    this.#inMessage = false;
  }
}

function textOf(content: ContentBlock): string {
  switch (content.type) {
    case "text":
      return content.text;
    case "resource_link":
      return `[${content.name}](${content.uri})`;
    case "image":
    case "audio":
    case "resource":
      return `[${content.type}]`;
  }
}
