import { MESSAGE_MEMBERS } from "../../../transport/rpc/index.ts";
import { isJsonObject, type JsonObject, objectField } from "../../../base/index.ts";
import { jsonKeyCount } from "./json-text.ts";

/** The fields that decide about a message: who it is for, what it does, and where. */
const FIELDS = [
  "_meta",
  "additionalDirectories",
  "args",
  "command",
  "content",
  "cwd",
  "env",
  "kind",
  "locations",
  "mcpServers",
  "options",
  "path",
  "rawInput",
  "sessionId",
  "sessionUpdate",
  "status",
  "terminalId",
  "toolCall",
  "toolCallId",
  "update",
] as const;

/** The fields by spelling. The SDK for Python accepts `session_id` and `field_meta`; Go ignores case. */
const SPELLINGS: ReadonlyMap<string, string> = /* @__PURE__ */ new Map<string, string>([
  ...FIELDS.map((name) => [spelling(name), name] as const),
  ["fieldmeta", "_meta"],
]);

/** Whether parsers that take the first of equal keys, or ignore case as Go's, read something else. */
export function hasAmbiguousKeys(line: string, frame: JsonObject): boolean {
  for (const key in frame)
    if (!MESSAGE_MEMBERS.has(key) && MESSAGE_MEMBERS.has(folded(key))) return true;
  const { method, result, error, params } = frame;
  // Some libraries write the fields they do not use as null.
  const kinds = [method, result, error].filter((value) => (value ?? null) !== null);
  return kinds.length > 1 || hasVariants(params) || jsonKeyCount(line) !== keysOf(frame);
}

/** The field that some programs would take a misspelled key for, also in tool calls and updates. */
export function misspelledKey(params: JsonObject): string | undefined {
  const parts = [params, objectField(params, "toolCall"), objectField(params, "update")];
  for (const part of parts) {
    for (const key of Object.keys(part ?? {})) {
      const name = SPELLINGS.get(spelling(key));
      if (name !== undefined && name !== key) return name;
    }
  }
  return undefined;
}

/** Whether an object has two keys that differ only in case. */
function hasVariants(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 1 && new Set(keys.map(folded)).size < keys.length;
}

/** A key without the differences in spelling that some programs ignore. */
function spelling(key: string): string {
  return folded(key).replace(/(?<=.)_/gs, "");
}

/** Upper case first: it also maps `ſ` to `s`, as Go does. */
function folded(key: string): string {
  return key.toUpperCase().toLowerCase();
}

/** The number of keys in a value and everything in it. A repeated key counts once. */
function keysOf(value: unknown): number {
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += keysOf(item);
  } else if (isJsonObject(value)) {
    for (const key in value) count += 1 + keysOf(value[key]);
  }
  return count;
}
