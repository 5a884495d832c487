import type { LanguageModelV4FilePart } from "@ai-sdk/provider";
import type { ContentBlock, PromptCapabilities } from "../../../protocol/acp/index.ts";
import { resourceLink } from "../../index.ts";
import { AcpUnsupportedError } from "../errors.ts";

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
