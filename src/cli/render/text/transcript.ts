import {
  type ContentBlock,
  type MessagePosition,
  nextMessage,
  type Update,
} from "../../../acp/index.ts";
import { ToolProgress } from "./tools.ts";

/** Prints a replayed conversation as plain text or Markdown, piece by piece. */
export class Transcript {
  readonly #markdown: boolean;
  readonly #tools = new ToolProgress(() => 0);
  readonly #print: (text: string) => void;
  #position: MessagePosition | undefined;
  #isEmpty = true;

  constructor(markdown: boolean, print: (text: string) => void) {
    this.#markdown = markdown;
    this.#print = print;
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
        this.#part(
          this.#markdown ? `- tool: ${call.title} (${status})` : `[tool] ${call.title} (${status})`,
        );
        return;
      }
      default:
      // Other updates are not part of the conversation.
    }
  }

  /** Ends the last line. */
  end(): void {
    if (!this.#isEmpty) this.#print("\n");
  }

  #piece(isNew: boolean, who: string, text: string): void {
    if (!isNew) this.#print(text);
    else this.#part(this.#markdown ? `## ${who}\n\n${text}` : `${who}: ${text}`);
  }

  #part(text: string): void {
    this.#print(this.#isEmpty ? text : `\n\n${text}`);
    this.#isEmpty = false;
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
