import { isJsonObject, type JsonObject } from "../../wire/index.ts";
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

/**
 * Whether another program may read a message differently. Of two equal keys, `JSON.parse` takes the last
 * one and other parsers the first; parsers such as that of Go ignore the case of keys. `frame` is what
 * `JSON.parse` read in the line.
 */
export function isAmbiguous(line: string, frame: JsonObject): boolean {
  for (const key in frame) if (!MEMBERS.has(key) && MEMBERS.has(folded(key))) return true;
  const { method, result, error, params } = frame;
  // Some libraries write the fields they do not use as null.
  const kinds = [method, result, error].filter((value) => (value ?? null) !== null);
  return kinds.length > 1 || hasVariants(params) || keyCount(line) !== keysOf(frame);
}

/** Whether an object has two keys that differ only in case. */
function hasVariants(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 1 && new Set(keys.map(folded)).size < keys.length;
}

/** Whether some parsers take one key for the other, although they differ in case. */
export function isVariant(key: string, name: string): boolean {
  return key !== name && folded(key) === folded(name);
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
