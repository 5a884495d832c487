import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4Warning,
} from "@ai-sdk/provider";
import { AcpPromptError, AcpUnsupportedError } from "./errors.ts";
import { type AcpPartMetadata, readOrigin } from "./options.ts";
import type { ContentBlock, PromptCapabilities } from "../../protocol/acp/index.ts";
import { resourceLink } from "../index.ts";

/** A prompt of the AI SDK, which always contains the whole conversation. */
export interface ConversationParts {
  /** The system messages, joined. Empty if there are none. */
  readonly system: string;
  /** Everything up to the last answer. */
  readonly earlier: LanguageModelV4Prompt;
  /** Everything after the last answer. */
  readonly latest: LanguageModelV4Prompt;
  /** The session and turn that the last answer came from. */
  readonly origin: AcpPartMetadata | undefined;
}

/** Splits a prompt at the last answer. Throws AcpPromptError if no user message follows it. Pure. */
export function splitPrompt(prompt: LanguageModelV4Prompt): ConversationParts {
  const system = prompt.flatMap((message) => (message.role === "system" ? [message.content] : []));
  const messages = prompt.filter(({ role }) => role !== "system");
  const at = messages.findLastIndex(({ role }) => role === "assistant");
  const latest = messages.slice(at + 1);
  if (!latest.some(({ role }) => role === "user")) {
    throw new AcpPromptError(
      prompt,
      "the conversation must end with a message from the user, because an agent answers prompts",
    );
  }
  const answer = messages[at];
  return {
    system: system.join("\n\n"),
    earlier: messages.slice(0, at + 1),
    latest,
    origin: answer && originOf(answer),
  };
}

/** The AI SDK keeps the metadata of each part, so any part may have it. */
function originOf(answer: LanguageModelV4Message): AcpPartMetadata | undefined {
  if (answer.role !== "assistant") return undefined;
  const own = [answer, ...answer.content.toReversed()];
  return own.map(({ providerOptions }) => readOrigin(providerOptions)).find((origin) => origin);
}

interface PromptMessages {
  /** Instructions that the session does not know yet; empty if it knows them. */
  readonly system: string;
  /** Earlier messages that the session does not know. */
  readonly earlier: LanguageModelV4Prompt;
  readonly latest: LanguageModelV4Prompt;
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

/**
 * The content block for a file of a prompt. A URL becomes a link, which every agent accepts; bytes
 * become an image, audio or an embedded resource. Text becomes plain text if the agent accepts no
 * resources. Throws AcpUnsupportedError for everything else that the agent does not accept. Pure.
 */
export function fileBlock(
  { data, mediaType, filename }: LanguageModelV4FilePart,
  accepted: PromptCapabilities,
): ContentBlock {
  switch (data.type) {
    case "url":
      return resourceLink(data.url, {
        name: filename,
        mimeType: isFullMediaType(mediaType) ? mediaType : undefined,
      });
    case "text":
      return textFile(data.text, mediaType, filename, accepted);
    case "data":
      return isText(mediaType)
        ? textFile(toText(data.data), mediaType, filename, accepted)
        : binaryFile(toBase64(data.data), mediaType, filename, accepted);
    case "reference":
      throw new AcpUnsupportedError(
        "file references",
        "an agent cannot use a file that was uploaded to a model provider; pass its bytes or a URL",
      );
  }
}

function binaryFile(
  data: string,
  mediaType: string,
  filename: string | undefined,
  accepted: PromptCapabilities,
): ContentBlock {
  const [kind = ""] = mediaType.split("/");
  if (!isFullMediaType(mediaType)) {
    throw new AcpUnsupportedError(
      `files of type ${mediaType}`,
      `an agent needs the exact media type of a file, such as image/png, not "${mediaType}"`,
    );
  }
  if (kind === "image" && accepted.image === true)
    return { type: "image", data, mimeType: mediaType };
  if (kind === "audio" && accepted.audio === true)
    return { type: "audio", data, mimeType: mediaType };
  if (kind !== "image" && kind !== "audio" && accepted.embeddedContext === true) {
    return {
      type: "resource",
      resource: { uri: attachmentUri(filename), blob: data, mimeType: mediaType },
    };
  }
  throw new AcpUnsupportedError(
    `files of type ${mediaType}`,
    `the agent does not accept files of type ${mediaType} in prompts; save the file in its workspace and pass a file: URL`,
  );
}

function textFile(
  text: string,
  mediaType: string,
  filename: string | undefined,
  accepted: PromptCapabilities,
): ContentBlock {
  if (accepted.embeddedContext === true) {
    return {
      type: "resource",
      resource: { uri: attachmentUri(filename), text, mimeType: mediaType },
    };
  }
  return { type: "text", text: filename === undefined ? text : `${filename}:\n${text}` };
}

/** Attachments have no location, but every resource needs a URI. */
function attachmentUri(filename = "file"): string {
  return `attachment:///${encodeURIComponent(filename)}`;
}

function isFullMediaType(mediaType: string): boolean {
  return /^[^/]+\/[^/*]+$/.test(mediaType);
}

const TEXT_TYPES =
  /^(?:text(?:\/|$)|application\/(?:json|xml|yaml|toml|javascript|x-sh)\b)|\+(?:json|xml)$/;

function isText(mediaType: string): boolean {
  return TEXT_TYPES.test(mediaType);
}

function toText(data: Uint8Array | string): string {
  const bytes =
    typeof data === "string" ? Uint8Array.from(atob(data), (char) => char.charCodeAt(0)) : data;
  return new TextDecoder().decode(bytes);
}

/** How many bytes are converted at a time: a call takes a limited number of arguments. */
const CHUNK_BYTES = 0x8000;

function toBase64(data: Uint8Array | string): string {
  if (typeof data === "string") return data;
  let binary = "";
  for (let at = 0; at < data.length; at += CHUNK_BYTES) {
    binary += String.fromCharCode(...data.subarray(at, at + CHUNK_BYTES));
  }
  return btoa(binary);
}

export const SYSTEM_WARNING: SharedV4Warning = {
  type: "compatibility",
  feature: "system messages",
  details: "The instructions are part of the prompt.",
};

export const HISTORY_WARNING: SharedV4Warning = {
  type: "compatibility",
  feature: "earlier messages",
  details: "The agent does not know this conversation, so a new session gets it as text.",
};
