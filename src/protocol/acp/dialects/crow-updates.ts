import type { JsonObject } from "../../../base/index.ts";
import { isContentBlock, isObject } from "../parse/guards.ts";
import type { ContentBlock } from "../types.ts";
import { readContent, readKeys, rename, without, WRITE_UPDATE } from "./crow-keys.ts";

const TEXT_TO_CHUNK = new Map([
  ["agent_thought_text", "agent_thought_chunk"],
  ["agent_message_text", "agent_message_chunk"],
  ["user_message_text", "user_message_chunk"],
]);
const CHUNK_TO_TEXT = new Map([...TEXT_TO_CHUNK].map(([text, chunk]) => [chunk, text]));

/**
 * Reads the `update` of a `session/update` in crow's spelling. An update without `@type` keeps its own
 * tag, so that canonical updates pass. An unknown `@type` becomes the tag unchanged, so that `toUpdate`
 * reports it as unknown.
 */
export function readUpdate(raw: JsonObject): JsonObject {
  const tag = raw["@type"];
  const renamed = readKeys(raw);
  if (typeof tag !== "string") return withContent(renamed);
  const fields = without(renamed, "@type");
  const chunk = TEXT_TO_CHUNK.get(tag);
  if (chunk !== undefined && typeof fields["text"] === "string") {
    const content = { type: "text", text: fields["text"] };
    return { ...without(fields, "text"), sessionUpdate: chunk, content };
  }
  if (tag === "tool_call_start") return withContent({ ...fields, sessionUpdate: "tool_call" });
  // Newer ACP has its own `plan_update`, with a nested plan. Crow's is flat.
  if (tag === "plan_update" && Array.isArray(fields["entries"])) {
    return { ...fields, sessionUpdate: "plan" };
  }
  return withContent({ ...fields, sessionUpdate: tag });
}

function withContent(update: JsonObject): JsonObject {
  const content = update["content"];
  if (Array.isArray(content)) return { ...update, content: content.map(readContent) };
  return isObject(content) ? { ...update, content: readContent(content) } : update;
}

/** Writes an update in crow's spelling. Returns undefined when crow has no form for it. */
export function writeUpdate(update: JsonObject): JsonObject | undefined {
  const tag = update["sessionUpdate"];
  const fields = rename(without(update, "sessionUpdate"), WRITE_UPDATE);
  switch (tag) {
    case "agent_thought_chunk":
    case "agent_message_chunk":
    case "user_message_chunk": {
      const content = update["content"];
      if (!isContentBlock(content)) return undefined;
      const text = asText(content);
      return { "@type": CHUNK_TO_TEXT.get(tag), ...without(fields, "content"), text };
    }
    case "tool_call":
      return { "@type": "tool_call_start", kind: "other", status: "pending", ...fields };
    case "tool_call_update":
      return { "@type": tag, ...fields };
    case "plan":
      return { "@type": "plan_update", ...fields };
    default:
      return undefined;
  }
}

/** Turns content of any type into text, the only content that crow messages can carry. */
function asText(content: ContentBlock): string {
  switch (content.type) {
    case "text":
      return content.text;
    case "resource_link":
      return `${content.name} <${content.uri}>`;
    case "resource":
      return "text" in content.resource ? content.resource.text : `<${content.resource.uri}>`;
    case "image":
    case "audio":
      return `[${content.type} ${content.mimeType}]`;
    default:
      content satisfies never;
      return "";
  }
}
