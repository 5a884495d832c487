import {
  type ContentBlock,
  type MessagePosition,
  nextMessagePosition,
  isAnyUpdate,
  type Update,
} from "../../../../protocol/acp/index.ts";
import { ToolProgress } from "./progress.ts";
import { escapeHtml } from "../../../../base/index.ts";

export type Speaker = "You" | "Agent";

/**
 * How a conversation is written. Each method returns the text to print. Text arrives in pieces, and a
 * piece may end in the middle of a character of two UTF-16 units.
 */
export interface TranscriptFormat {
  readonly begin: string;
  readonly between: string;
  /** The text after the conversation, which may be empty. */
  end(isEmpty: boolean): string;
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
    if (!isAnyUpdate(update)) return;
    const position = nextMessagePosition(this.#position, update);
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

/** The facts about the session in a document, besides its messages. */
export interface TranscriptHead {
  readonly agent: string;
  readonly sessionId: string;
}

const asIs = (text: string): string => text;

/** For `sessions show`. */
export const PLAIN: TranscriptFormat = {
  begin: "",
  between: "\n\n",
  end: (isEmpty) => (isEmpty ? "" : "\n"),
  message: (who) => `${who}: `,
  piece: asIs,
  endMessage: "",
  tool: (title, status) => `[tool] ${title} (${status})`,
};

/** For `sessions export`. */
export const MARKDOWN: TranscriptFormat = {
  ...PLAIN,
  message: (who) => `## ${who}\n\n`,
  tool: (title, status) => `- tool: ${title} (${status})`,
};

/** A document of its own, without scripts and without anything that is loaded. All text is escaped. */
export function htmlFormat({ agent, sessionId }: TranscriptHead): TranscriptFormat {
  const name = escapeHtml(`Session ${sessionId} of ${agent}`);
  return {
    begin: `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${name}</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; }
section { border-top: 1px solid; margin-top: 1rem; }
pre { font: inherit; white-space: pre-wrap; overflow-wrap: anywhere; }
.tool { color: GrayText; font-family: ui-monospace, monospace; }
:root { color-scheme: light dark; }
</style>
</head>
<body>
<h1>${name}</h1>
`,
    between: "",
    end: () => "</body>\n</html>\n",
    message: (who) => `<section>\n<h2>${who}</h2>\n<pre>`,
    piece: escapeHtml,
    endMessage: "</pre>\n</section>\n",
    tool: (text, status) => `<p class="tool">${escapeHtml(text)} (${escapeHtml(status)})</p>\n`,
  };
}

/** One JSON document. Its version increases if a field is removed or changes meaning. */
export function jsonFormat(head: TranscriptHead): TranscriptFormat {
  return {
    begin: `${JSON.stringify({ v: 1, ...head }).slice(0, -1)},"messages":[\n`,
    between: ",\n",
    end: (isEmpty) => `${isEmpty ? "" : "\n"}]}\n`,
    message: (who) => `{"role":"${who === "You" ? "user" : "agent"}","text":"`,
    // The halves of a split character become two escapes, which JSON reads as one character.
    piece: (text) => JSON.stringify(text).slice(1, -1),
    endMessage: '"}',
    tool: (title, status) => JSON.stringify({ role: "tool", title, status }),
  };
}
