import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { ContentBlock } from "../../../protocol/acp/index.ts";

/**
 * The part for a content block other than text: images, audio and embedded resources become files,
 * links become sources. `id` must be unique in the turn. Pure.
 */
export function contentPart(
  block: Exclude<ContentBlock, { type: "text" }>,
  id: string,
  providerMetadata: SharedV4ProviderMetadata,
): LanguageModelV4StreamPart {
  switch (block.type) {
    case "image":
    case "audio":
      return file(block.mimeType, block.data, providerMetadata);
    case "resource": {
      const { resource } = block;
      return "blob" in resource
        ? file(resource.mimeType ?? "application/octet-stream", resource.blob, providerMetadata)
        : file(
            resource.mimeType ?? "text/plain",
            new TextEncoder().encode(resource.text),
            providerMetadata,
          );
    }
    case "resource_link": {
      const title = block.title ?? block.name;
      const source = { type: "source", id, title, providerMetadata } as const;
      if (/^https?:/i.test(block.uri)) return { ...source, sourceType: "url", url: block.uri };
      const mediaType = block.mimeType ?? "application/octet-stream";
      return { ...source, sourceType: "document", mediaType, filename: block.uri };
    }
  }
}

function file(
  mediaType: string,
  data: string | Uint8Array,
  providerMetadata: SharedV4ProviderMetadata,
): LanguageModelV4StreamPart {
  return { type: "file", mediaType, data: { type: "data", data }, providerMetadata };
}
