import { type JsonObject, objectField, stringField } from "../../../base/index.ts";
import type { FleetEntry } from "./entries.ts";

/** The pieces of text that agents send token by token. */
const TEXT_UPDATES: ReadonlySet<unknown> = new Set(["agent_message_chunk", "agent_thought_chunk"]);

/** A piece of text that can grow. */
interface TextChunk {
  /** Equal for pieces that belong together. */
  readonly key: string;
  readonly text: string;
}

/**
 * Pure: two pieces of the same text as one; undefined if they are anything else. Pieces with metadata or
 * fields that are not known stay as they are.
 */
export function coalesced(one: FleetEntry, other: FleetEntry): FleetEntry | undefined {
  const first = chunkOf(one);
  const second = first && chunkOf(other);
  if (!second || first.key !== second.key || one.type !== "update") return undefined;
  const update = { ...objectField(one.params, "update") };
  const content = { ...objectField(update, "content"), text: first.text + second.text };
  return { type: "update", params: { ...one.params, update: { ...update, content } } };
}

/** Pure: whether an entry is a piece of text, and how long it is. */
export function chunkLength(entry: FleetEntry): number | undefined {
  return chunkOf(entry)?.text.length;
}

function chunkOf(entry: FleetEntry): TextChunk | undefined {
  if (entry.type !== "update") return undefined;
  const update = objectField(entry.params, "update");
  if (!update || !TEXT_UPDATES.has(update["sessionUpdate"])) return undefined;
  const content = objectField(update, "content");
  const text = content && stringField(content, "text");
  if (!content || text === undefined || content["type"] !== "text") return undefined;
  if (!hasOnly(content, ["type", "text"])) return undefined;
  if (!hasOnly(update, ["sessionUpdate", "content", "messageId"])) return undefined;
  if (!hasOnly(entry.params, ["update", "sessionId"])) return undefined;
  const parts = [update["sessionUpdate"], update["messageId"], entry.params["sessionId"]];
  return { key: JSON.stringify(parts.map((part) => part ?? null)), text };
}

function hasOnly(object: JsonObject, keys: readonly string[]): boolean {
  return Object.keys(object).every((key) => keys.includes(key));
}
