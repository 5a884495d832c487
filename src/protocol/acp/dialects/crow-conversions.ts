import { without, isJsonObject as isObject, type JsonObject } from "../../../base/index.ts";
import { isContentBlock } from "../parse/guards.ts";
import { UNKNOWN_OPTION_KIND } from "../parse/params.ts";
import type { PermissionOptionKind, ContentBlock } from "../types.ts";

type Names = ReadonlyMap<string, string>;

/** Canonical names that crow, or a peer that mixes both spellings, may write in snake_case. */
const TOP_NAMES = words(`
  additionalDirectories agentCapabilities agentInfo authMethods clientCapabilities clientInfo
  configId configOptions mcpServers messageId methodId modeId nextCursor protocolVersion
  rawInput rawOutput sessionId stopReason toolCallId`);
const CAPABILITY_NAMES = words(`
  additionalDirectories configOptions embeddedContext loadSession mcpCapabilities
  promptCapabilities readTextFile sessionCapabilities writeTextFile`);
const CONTENT_NAMES = ["mimeType", "newText", "oldText", "terminalId"];

/** Capabilities are at most this deep. The limit guards against a peer that nests without end. */
const CAPABILITY_DEPTH = 4;

/* @__NO_SIDE_EFFECTS__ */
function words(list: string): readonly string[] {
  return list.trim().split(/\s+/);
}

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
const WRITE_UPDATE = toSnake(["toolCallId", "rawInput", "rawOutput", "messageId"]);
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

/** Reads params, a result or an update, whose top-level keys may have either spelling. */
export function readCrowKeys(object: JsonObject): JsonObject {
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
export function readCrowCapabilities(raw: unknown): unknown {
  if (!isObject(raw)) return raw;
  const read = renameDeep(raw, READ_CAPABILITY, CAPABILITY_DEPTH);
  const prompt = read["promptCapabilities"];
  if (!isObject(prompt)) return read;
  const renamed = rename(without(prompt, "text"), new Map([["resource", "embeddedContext"]]));
  return { ...read, promptCapabilities: { audio: false, ...renamed } };
}

/** Writes the capabilities of an agent. Crow lists `text`, which canonical ACP takes for granted. */
export function writeCrowAgentCapabilities(raw: unknown): unknown {
  if (!isObject(raw)) return raw;
  const given = raw["promptCapabilities"];
  const prompt = isObject(given) ? given : {};
  const renamed = rename(prompt, new Map([["embeddedContext", "resource"]]));
  const written = renamed["audio"] === true ? renamed : without(renamed, "audio");
  const capabilities = { ...raw, promptCapabilities: { text: true, ...written } };
  return renameDeep(capabilities, WRITE_CAPABILITY, CAPABILITY_DEPTH);
}

/** Writes the capabilities of a client. Only the spelling changes. */
export function writeCrowClientCapabilities(raw: unknown): unknown {
  return isObject(raw) ? renameDeep(raw, WRITE_CAPABILITY, CAPABILITY_DEPTH) : raw;
}

/** Reads a content block or an item of a tool call's content in either spelling. */
export function readCrowContent(item: unknown): unknown {
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

/**
 * Ids that reveal an option's kind. Only exact matches count: a policy must not act on an id or title
 * that merely contains such a word ("approve_and_never_ask", "no problem, go on").
 */
const KIND_BY_ID: ReadonlyMap<unknown, PermissionOptionKind> = new Map([
  ["approve", "allow_once"],
  ["approve_once", "allow_once"],
  ["allow", "allow_once"],
  ["allow_once", "allow_once"],
  ["yes", "allow_once"],
  ["approve_always", "allow_always"],
  ["allow_always", "allow_always"],
  ["reject", "reject_once"],
  ["reject_once", "reject_once"],
  ["deny", "reject_once"],
  ["deny_once", "reject_once"],
  ["no", "reject_once"],
  ["reject_always", "reject_always"],
  ["deny_always", "reject_always"],
]);

/** An explicit kind takes precedence over the id, whether the kind is known or not. */
function kindOf(id: unknown, given: unknown): string {
  if (typeof given === "string") return given;
  return (given === undefined ? KIND_BY_ID.get(id) : undefined) ?? UNKNOWN_OPTION_KIND;
}

function readOption(option: unknown): unknown {
  if (!isObject(option)) return option;
  const id = option["id"] ?? option["optionId"] ?? option["option_id"];
  const primary = option["is_primary"];
  const meta = isObject(option["_meta"]) ? option["_meta"] : {};
  return {
    ...without(option, "id", "option_id", "title", "is_primary"),
    optionId: id,
    name: option["name"] ?? option["title"] ?? id,
    kind: kindOf(id, option["kind"]),
    ...(typeof primary === "boolean" ? { _meta: { ...meta, is_primary: primary } } : {}),
  };
}

function writeOption(option: unknown): unknown {
  if (!isObject(option)) return option;
  const id = option["optionId"];
  const kind = option["kind"];
  const meta = isObject(option["_meta"]) ? option["_meta"] : {};
  const primary = meta["is_primary"];
  const otherMeta = without(meta, "is_primary");
  return {
    ...without(option, "optionId", "name", "kind", "_meta"),
    id,
    title: option["name"],
    // If the id does not reveal the kind, send it too, for readers that know the field.
    ...(kind === undefined || kind === kindOf(id, undefined) ? {} : { kind }),
    ...(typeof primary === "boolean" ? { is_primary: primary } : {}),
    ...(Object.keys(otherMeta).length > 0 ? { _meta: otherMeta } : {}),
  };
}

/** Reads the params of `session/request_permission` from crow's update. Its keys must be canonical. */
export function readCrowPermissionRequest(sessionId: unknown, update: JsonObject): JsonObject {
  const given = update["permission_options"] ?? update["options"];
  return {
    sessionId,
    toolCall: {
      ...without(update, "@type", "arguments", "permission_options", "options"),
      ...(update["arguments"] === undefined ? {} : { rawInput: update["arguments"] }),
    },
    options: Array.isArray(given) ? given.map(readOption) : given,
  };
}

/**
 * Writes the updates that a crow client sees for a `session/request_permission`. If the request has
 * more tool call fields than crow's permission request can hold, a `tool_call_update` with them comes
 * first, so that users see a change before they decide on it.
 */
export function writeCrowPermissionRequest(params: JsonObject): readonly JsonObject[] {
  const call = isObject(params["toolCall"]) ? params["toolCall"] : {};
  const options = params["options"];
  const otherFields = without(call, "toolCallId", "title", "rawInput");
  const request = {
    "@type": "permission_request",
    tool_call_id: call["toolCallId"],
    title: call["title"] ?? call["name"] ?? call["kind"] ?? call["toolCallId"],
    ...(call["rawInput"] === undefined ? {} : { arguments: call["rawInput"] }),
    permission_options: Array.isArray(options) ? options.map(writeOption) : [],
  };
  if (Object.keys(otherFields).length === 0) return [request];
  return [
    { "@type": "tool_call_update", tool_call_id: call["toolCallId"], ...otherFields },
    request,
  ];
}

/**
 * The option id to answer crow with. Crow cannot express that no decision was made, so a cancelled or
 * failed permission request gets the `reject_once` option, or null if there is none.
 */
export function crowPermissionAnswer(params: JsonObject, response: JsonObject): unknown {
  const result = response["result"];
  const outcome = isObject(result) ? result["outcome"] : undefined;
  if (isObject(outcome) && outcome["outcome"] === "selected") return outcome["optionId"] ?? null;
  const options = Array.isArray(params["options"]) ? params["options"] : [];
  const reject: unknown = options.find(
    (option) => isObject(option) && option["kind"] === "reject_once",
  );
  return isObject(reject) ? reject["optionId"] : null;
}

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
export function readCrowUpdate(raw: JsonObject): JsonObject {
  const tag = raw["@type"];
  const renamed = readCrowKeys(raw);
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
  if (Array.isArray(content)) return { ...update, content: content.map(readCrowContent) };
  return isObject(content) ? { ...update, content: readCrowContent(content) } : update;
}

/** Writes an update in crow's spelling. Returns undefined when crow has no form for it. */
export function writeCrowUpdate(update: JsonObject): JsonObject | undefined {
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
