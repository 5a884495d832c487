import { type ContentBlock, isContentBlock, promptBlockLacks } from "../../protocol/acp/index.ts";
import { isList } from "../../base/index.ts";
import { CapabilityError, InvalidArgumentError } from "../errors.ts";
import { fileUrl, lastName } from "../paths.ts";
import { absolutePath } from "../platform.ts";

/** A prompt: text, one content block, or an ordered list of both. */
export type PromptContent = string | ContentBlock | readonly (string | ContentBlock)[];

/**
 * The blocks of a prompt. Throws InvalidArgumentError for an empty prompt or a malformed block, and
 * CapabilityError for a block of a type that the agent does not support.
 */
export function toPromptBlocks(content: PromptContent, capabilities: unknown): ContentBlock[] {
  const parts = isList(content) ? content : [content];
  if (parts.length === 0) throw new InvalidArgumentError("a prompt needs at least one block");
  return parts.map((part, index) => {
    const block = typeof part === "string" ? { type: "text" as const, text: part } : part;
    if (!isContentBlock(block)) {
      throw new InvalidArgumentError(`block ${index} of the prompt is not a content block`);
    }
    const lacking = promptBlockLacks(block, capabilities);
    if (lacking !== undefined) {
      throw new CapabilityError(`a prompt with a block of type "${block.type}"`, lacking);
    }
    return block;
  });
}

/** Details of a link besides its target. */
export interface LinkDetails {
  /** Default: the last part of the path. */
  readonly name?: string | undefined;
  /** The media type of the target. */
  readonly mimeType?: string | undefined;
  /** A description of the target. */
  readonly description?: string | undefined;
}

/**
 * A block that links to a file (by absolute path) or a URL. Every agent supports such links, and reads
 * what it needs from them itself. Prefer this to putting the content into the prompt.
 */
export function resourceLink(target: string | URL, details: LinkDetails = {}): ContentBlock {
  const url = typeof target === "string" ? toUrl(target) : target;
  const name = details.name ?? (lastName(decodeURIComponent(url.pathname)) || url.host);
  const { mimeType, description } = details;
  return {
    type: "resource_link",
    uri: url.href,
    name,
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(description === undefined ? {} : { description }),
  };
}

/** A scheme has at least two letters, so `C:\x` is a path. */
function toUrl(target: string): URL {
  return /^[a-z][a-z\d+.-]+:/i.test(target) ? new URL(target) : fileUrl(absolutePath(target));
}
