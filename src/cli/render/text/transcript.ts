import {
  type ContentBlock,
  type MessagePosition,
  nextMessage,
  type Update,
} from "../../../acp/index.ts";
import { ToolProgress } from "./tools.ts";

/** A replayed conversation as plain text or Markdown. */
export class Transcript {
  readonly #markdown: boolean;
  readonly #tools = new ToolProgress(() => 0);
  readonly #parts: string[] = [];
  #position: MessagePosition | undefined;

  constructor(markdown: boolean) {
    this.#markdown = markdown;
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
        this.#parts.push(
          this.#markdown ? `- tool: ${call.title} (${status})` : `[tool] ${call.title} (${status})`,
        );
        return;
      }
      default:
      // Other updates are not part of the conversation.
    }
  }

  text(): string {
    return this.#parts.length === 0 ? "" : `${this.#parts.join("\n\n")}\n`;
  }

  #piece(isNew: boolean, who: string, text: string): void {
    const last = this.#parts.length - 1;
    if (!isNew && last >= 0) this.#parts[last] = `${this.#parts[last] ?? ""}${text}`;
    else this.#parts.push(this.#markdown ? `## ${who}\n\n${text}` : `${who}: ${text}`);
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
