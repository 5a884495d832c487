import type { JsonObject } from "../../../base/index.ts";
import { isObject } from "../parse/guards.ts";

type Names = ReadonlyMap<string, string>;

/** Canonical names that crow, or a peer that mixes both spellings, may write in snake_case. */
const TOP_NAMES = [
  "additionalDirectories",
  "agentCapabilities",
  "agentInfo",
  "authMethods",
  "clientCapabilities",
  "clientInfo",
  "configId",
  "configOptions",
  "mcpServers",
  "messageId",
  "methodId",
  "modeId",
  "nextCursor",
  "protocolVersion",
  "rawInput",
  "rawOutput",
  "sessionId",
  "stopReason",
  "toolCallId",
];
const CAPABILITY_NAMES = [
  "additionalDirectories",
  "configOptions",
  "embeddedContext",
  "loadSession",
  "mcpCapabilities",
  "promptCapabilities",
  "readTextFile",
  "sessionCapabilities",
  "writeTextFile",
];
const CONTENT_NAMES = ["mimeType", "newText", "oldText", "terminalId"];

/** Capabilities are at most this deep. The limit guards against a peer that nests without end. */
const CAPABILITY_DEPTH = 4;

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/* @__NO_SIDE_EFFECTS__ */
function toCamel(names: readonly string[]): Names {
  return new Map(names.map((name) => [snake(name), name]));
}

/* @__NO_SIDE_EFFECTS__ */
function toSnake(names: readonly string[]): Names {
  return new Map(names.map((name) => [name, snake(name)]));
}

const READ_TOP = toCamel(TOP_NAMES);
const READ_CONTENT = toCamel(CONTENT_NAMES);
const READ_CAPABILITY = toCamel(CAPABILITY_NAMES);
const WRITE_CAPABILITY = toSnake(CAPABILITY_NAMES);

export const WRITE_SESSION = toSnake(["sessionId"]);
export const WRITE_STOP_REASON = toSnake(["stopReason"]);
export const WRITE_UPDATE = toSnake(["toolCallId", "rawInput", "rawOutput", "messageId"]);
export const WRITE_INITIALIZE = toSnake([
  "protocolVersion",
  "clientCapabilities",
  "clientInfo",
  "agentCapabilities",
  "agentInfo",
  "authMethods",
]);

/**
 * Renames an object's own keys and keeps the values. If an object has both spellings of a key, the one
 * that needs no renaming wins. Returns the object itself when there is nothing to rename.
 */
export function rename(object: JsonObject, names: Names): JsonObject {
  const keys = Object.keys(object);
  if (!keys.some((key) => names.has(key))) return object;
  const entries: [string, unknown][] = [];
  for (const key of keys) {
    const name = names.get(key);
    if (name === undefined) entries.push([key, object[key]]);
    else if (!Object.hasOwn(object, name)) entries.push([name, object[key]]);
  }
  // An assignment would set the prototype for a key "__proto__", which must stay a plain key.
  return Object.fromEntries(entries);
}

/** A copy of the object without the given keys. */
export function without(object: JsonObject, ...keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

/** Reads params, a result or an update, whose top-level keys may have either spelling. */
export function readKeys(object: JsonObject): JsonObject {
  return rename(object, READ_TOP);
}

function renameDeep(object: JsonObject, names: Names, depth: number): JsonObject {
  const renamed = rename(object, names);
  if (depth === 0) return renamed;
  return Object.fromEntries(
    Object.entries(renamed).map(([key, value]) => [
      key,
      isObject(value) && key !== "_meta" ? renameDeep(value, names, depth - 1) : value,
    ]),
  );
}

/** Reads the capabilities of either side. Crow's prompt capability `resource` is `embeddedContext`. */
export function readCapabilities(raw: unknown): unknown {
  if (!isObject(raw)) return raw;
  const read = renameDeep(raw, READ_CAPABILITY, CAPABILITY_DEPTH);
  const prompt = read["promptCapabilities"];
  if (!isObject(prompt)) return read;
  const renamed = rename(without(prompt, "text"), new Map([["resource", "embeddedContext"]]));
  return { ...read, promptCapabilities: { audio: false, ...renamed } };
}

/** Writes the capabilities of an agent. Crow lists `text`, which canonical ACP takes for granted. */
export function writeAgentCapabilities(raw: unknown): unknown {
  if (!isObject(raw)) return raw;
  const given = raw["promptCapabilities"];
  const prompt = isObject(given) ? given : {};
  const renamed = rename(prompt, new Map([["embeddedContext", "resource"]]));
  const written = renamed["audio"] === true ? renamed : without(renamed, "audio");
  const capabilities = { ...raw, promptCapabilities: { text: true, ...written } };
  return renameDeep(capabilities, WRITE_CAPABILITY, CAPABILITY_DEPTH);
}

/** Writes the capabilities of a client. Only the spelling changes. */
export function writeClientCapabilities(raw: unknown): unknown {
  return isObject(raw) ? renameDeep(raw, WRITE_CAPABILITY, CAPABILITY_DEPTH) : raw;
}

/** Reads a content block or an item of a tool call's content in either spelling. */
export function readContent(item: unknown): unknown {
  if (!isObject(item)) return item;
  const read = rename(item, READ_CONTENT);
  const inner = read["type"] === "content" ? "content" : "resource";
  const value = read[inner];
  if (!isObject(value)) return read;
  const readValue = readInnerContent(value);
  return readValue === value ? read : { ...read, [inner]: readValue };
}

function readInnerContent(value: JsonObject): JsonObject {
  const read = rename(value, READ_CONTENT);
  const resource = read["resource"];
  if (!isObject(resource)) return read;
  const readResource = rename(resource, READ_CONTENT);
  return readResource === resource ? read : { ...read, resource: readResource };
}
