import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
} from "@ai-sdk/provider";
import type { ContentBlock, PromptCapabilities } from "../../../protocol/acp/index.ts";
import { fileBlock } from "./files.ts";

/** The parts of a prompt to the agent. */
export interface PromptMessages {
  /** Instructions that the session does not know yet; empty if it knows them. */
  readonly system: string;
  /** Earlier messages that the session does not know. */
  readonly earlier: LanguageModelV4Prompt;
  /** The messages to answer. */
  readonly latest: LanguageModelV4Prompt;
  /** The format of the answer. */
  readonly responseFormat?: LanguageModelV4CallOptions["responseFormat"];
}

/**
 * The content blocks of a prompt. The protocol has no system messages and no way to send earlier
 * messages, so both become text. Throws AcpUnsupportedError for files that the agent does not accept.
 * Pure.
 */
export function toBlocks(parts: PromptMessages, accepted: PromptCapabilities): ContentBlock[] {
  const blocks: ContentBlock[] = [];
  if (parts.system !== "") blocks.push(text(`Instructions:\n${parts.system}`));
  if (parts.earlier.length > 0) {
    blocks.push(text("This is the conversation so far:"));
    for (const message of parts.earlier) blocks.push(...quoted(message, accepted));
    blocks.push(text("This is the end of the conversation so far. Answer the following message."));
  }
  for (const message of parts.latest) blocks.push(...latestBlocks(message, accepted));
  const format = formatInstruction(parts.responseFormat);
  if (format !== "") blocks.push(text(format));
  return blocks;
}

function latestBlocks(
  message: LanguageModelV4Message,
  accepted: PromptCapabilities,
): ContentBlock[] {
  if (message.role === "user") return message.content.map((part) => partBlock(part, accepted));
  return quoted(message, accepted);
}

/** An earlier message, with the name of its author. */
function quoted(message: LanguageModelV4Message, accepted: PromptCapabilities): ContentBlock[] {
  switch (message.role) {
    case "system":
      return [text(`System: ${message.content}`)];
    case "user":
      return [text("User:"), ...message.content.map((part) => partBlock(part, accepted))];
    case "assistant": {
      const lines = message.content.flatMap((part) => {
        if (part.type === "text" && part.text !== "") return [part.text];
        return part.type === "tool-call" ? [`(used the tool ${part.toolName})`] : [];
      });
      return [text(`Assistant: ${lines.join("\n")}`)];
    }
    case "tool":
      return message.content.flatMap((part) =>
        part.type === "tool-result"
          ? [text(`Result of the tool ${part.toolName}: ${JSON.stringify(part.output)}`)]
          : [],
      );
  }
}

type UserPart = LanguageModelV4FilePart | { readonly type: "text"; readonly text: string };

function partBlock(part: UserPart, accepted: PromptCapabilities): ContentBlock {
  return part.type === "text" ? text(part.text) : fileBlock(part, accepted);
}

function text(value: string): ContentBlock {
  return { type: "text", text: value };
}

/** How to ask for JSON, which the protocol has no setting for. Empty for plain text. */
function formatInstruction(format: LanguageModelV4CallOptions["responseFormat"]): string {
  if (format?.type !== "json") return "";
  const { name, description, schema } = format;
  return [
    "Answer with one JSON value and nothing else: no explanation and no Markdown.",
    ...(name === undefined ? [] : [`It is called "${name}".`]),
    ...(description === undefined ? [] : [`It is: ${description}`]),
    ...(schema === undefined ? [] : [`It must match this JSON schema:\n${JSON.stringify(schema)}`]),
  ].join("\n");
}
