/** Translates the content of an ACP prompt for Droid. Pure and total. */
import type { ContentBlock } from "../../../protocol/acp/index.ts";
import type { PromptFile, PromptImage, PromptInput } from "../../../droid/index.ts";

/** A prompt for Droid, or undefined if it is empty. */
export function toPromptInput(blocks: readonly ContentBlock[]): PromptInput | undefined {
  const texts: string[] = [];
  const images: PromptImage[] = [];
  const files: PromptFile[] = [];
  for (const block of blocks) {
    switch (block.type) {
      case "text":
        texts.push(block.text);
        break;
      case "image":
        images.push({ data: block.data, mediaType: block.mimeType });
        break;
      case "resource_link":
        texts.push(linkText(block));
        break;
      case "resource":
        addResource(block.resource, texts, images, files);
        break;
      case "audio":
        // The agent toolkit has already rejected audio, which is not advertised.
        break;
    }
  }
  const text = joined(texts);
  if (text.trim() === "" && images.length === 0 && files.length === 0) return undefined;
  return {
    text,
    ...(images.length === 0 ? {} : { images }),
    ...(files.length === 0 ? {} : { files }),
  };
}

/**
 * Joins blocks of one sentence (“look at ”, a link, “ please”) as they are. A line break separates
 * blocks that have no whitespace or punctuation between them.
 */
function joined(texts: readonly string[]): string {
  let text = "";
  for (const next of texts) {
    const touches = text !== "" && next !== "" && !/\s$/.test(text) && !/^[\s.,;:!?)]/.test(next);
    text += touches ? `\n${next}` : next;
  }
  return text;
}

/** A link as the model sees it: its name and its URI. Droid reads files by their path. */
function linkText(link: Extract<ContentBlock, { type: "resource_link" }>): string {
  const name = link.title ?? link.name;
  return `[@${name.replaceAll("]", "\\]")}](${link.uri})`;
}

type Resource = Extract<ContentBlock, { type: "resource" }>["resource"];

/**
 * Puts embedded text into the message itself, together with its URI: every version of Droid keeps
 * it there. Other content becomes an image or a file (from 0.215 on).
 */
function addResource(
  resource: Resource,
  texts: string[],
  images: PromptImage[],
  files: PromptFile[],
): void {
  if ("text" in resource) {
    texts.push(`\n<resource uri="${escaped(resource.uri)}">\n${resource.text}\n</resource>\n`);
    return;
  }
  const mediaType = resource.mimeType ?? "application/octet-stream";
  if (mediaType.startsWith("image/")) images.push({ data: resource.blob, mediaType });
  else files.push({ name: nameOf(resource.uri), data: resource.blob, mediaType });
  texts.push(`[@${nameOf(resource.uri)}](${resource.uri})`);
}

function escaped(uri: string): string {
  return uri.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
}

export function nameOf(uri: string): string {
  const path = uri.replace(/[?#].*$/, "").replace(/\/+$/, "");
  const last = path.slice(path.lastIndexOf("/") + 1);
  try {
    return decodeURIComponent(last) || uri;
  } catch {
    return last || uri;
  }
}
