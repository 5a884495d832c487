import { isJsonObject, type JsonObject, objectField } from "../../../base/index.ts";
import { keyCount } from "./span.ts";

/** The members of a message. */
const MEMBERS: ReadonlySet<string> = new Set([
  "jsonrpc",
  "id",
  "method",
  "params",
  "result",
  "error",
]);

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

/**
 * The names of the fields, by their spelling. The SDK for Python also accepts `session_id` and
 * `field_meta`, and parsers such as Go's ignore case.
 */
const SPELLINGS: ReadonlyMap<string, string> = /* @__PURE__ */ new Map<string, string>([
  ...FIELDS.map((name) => [spelling(name), name] as const),
  ["fieldmeta", "_meta"],
]);

/**
 * Whether another program may read a message differently. Of two equal keys, `JSON.parse` takes the last
 * one and other parsers the first; parsers such as Go's ignore case. `frame` is what `JSON.parse` read in
 * the line.
 */
export function isAmbiguous(line: string, frame: JsonObject): boolean {
  for (const key in frame) if (!MEMBERS.has(key) && MEMBERS.has(folded(key))) return true;
  const { method, result, error, params } = frame;
  // Some libraries write the fields they do not use as null.
  const kinds = [method, result, error].filter((value) => (value ?? null) !== null);
  return kinds.length > 1 || hasVariants(params) || keyCount(line) !== keysOf(frame);
}

/**
 * The name that some programs would take a key of these parameters for, although it is spelled differently;
 * undefined if there is none. Fields of tool calls and updates count too.
 */
export function misspelledField(params: JsonObject): string | undefined {
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
