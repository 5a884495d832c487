import { isJsonObject as isObject, isStringList, type JsonObject } from "../../../base/index.ts";
import type {
  AuthMethod,
  AvailableCommand,
  ContentBlock,
  Cost,
  Implementation,
  PlanEntry,
  SessionConfigOption,
  SessionMode,
  SessionModeState,
  ToolCallContent,
  ToolCallLocation,
} from "../types.ts";
import type { SessionInfo } from "../types/unstable.ts";
import { isPlanPriority, isPlanStatus } from "../vocabulary.ts";
import type { Meta } from "../meta.ts";

/*
 * Guards for parsed JSON, and readers of fields that several messages have. Each guard checks the fields that the schema requires and nothing else. An optional
 * field of the wrong type is not a reason to lose the value: the reader ignores the field.
 */

export { isObject };

/** The value if it is a string, else undefined. For optional fields, where null means omitted. */
export function stringOr(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** True for the five content blocks of v1 with their required fields. */
export function isContentBlock(value: unknown): value is ContentBlock {
  if (!isObject(value)) return false;
  // Most streamed blocks are text.
  switch (value["type"]) {
    case "text":
      return typeof value["text"] === "string";
    case "image":
    case "audio":
      return typeof value["data"] === "string" && typeof value["mimeType"] === "string";
    case "resource_link":
      return typeof value["uri"] === "string" && typeof value["name"] === "string";
    case "resource":
      return isResource(value["resource"]);
    default:
      return false;
  }
}

function isResource(value: unknown): boolean {
  if (!isObject(value) || typeof value["uri"] !== "string") return false;
  return typeof value["text"] === "string" || typeof value["blob"] === "string";
}

export function isToolCallContent(value: unknown): value is ToolCallContent {
  if (!isObject(value)) return false;
  switch (value["type"]) {
    case "content":
      return isContentBlock(value["content"]);
    case "diff":
      return typeof value["path"] === "string" && typeof value["newText"] === "string";
    case "terminal":
      return typeof value["terminalId"] === "string";
    default:
      return false;
  }
}

export function isToolCallLocation(value: unknown): value is ToolCallLocation {
  return isObject(value) && typeof value["path"] === "string";
}

export function isPlanEntry(value: unknown): value is PlanEntry {
  return (
    isObject(value) &&
    typeof value["content"] === "string" &&
    isPlanPriority(value["priority"]) &&
    isPlanStatus(value["status"])
  );
}

export function isCommand(value: unknown): value is AvailableCommand {
  if (!isObject(value)) return false;
  const input = value["input"] ?? undefined;
  return (
    typeof value["name"] === "string" &&
    typeof value["description"] === "string" &&
    (input === undefined || (isObject(input) && typeof input["hint"] === "string"))
  );
}

/** Whether a value is an object with strings under these keys. */
function hasTexts(value: unknown, ...keys: readonly string[]): value is JsonObject {
  return isObject(value) && keys.every((key) => typeof value[key] === "string");
}

function isSelectOption(value: unknown): boolean {
  return hasTexts(value, "value", "name");
}

function isSelectGroup(value: unknown): boolean {
  if (!hasTexts(value, "group", "name")) return false;
  return Array.isArray(value["options"]) && value["options"].every(isSelectOption);
}

/** False for option types that this version does not know. The protocol requires ignoring those. */
export function isConfigOption(value: unknown): value is SessionConfigOption {
  if (!hasTexts(value, "id", "name")) return false;
  if (value["type"] === "boolean") return typeof value["currentValue"] === "boolean";
  if (value["type"] !== "select" || typeof value["currentValue"] !== "string") return false;
  const options = value["options"];
  return Array.isArray(options) && (options.every(isSelectOption) || options.every(isSelectGroup));
}

function isMode(value: unknown): value is SessionMode {
  return hasTexts(value, "id", "name");
}

export function isModeState(value: unknown): value is SessionModeState {
  if (!hasTexts(value, "currentModeId")) return false;
  return Array.isArray(value["availableModes"]) && value["availableModes"].every(isMode);
}

export function isCost(value: unknown): value is Cost {
  return (
    isObject(value) && typeof value["amount"] === "number" && typeof value["currency"] === "string"
  );
}

export function isImplementation(value: unknown): value is Implementation {
  return hasTexts(value, "name", "version");
}

export function isAuthMethod(value: unknown): value is AuthMethod {
  if (!hasTexts(value, "id", "name")) return false;
  const type = value["type"] ?? "agent";
  if (type === "agent") return true;
  if (type !== "terminal") return false;
  // Both end up on a command line, so unlike other optional fields they must have the right type.
  const args = value["args"] ?? [];
  const env = value["env"] ?? {};
  return isStringList(args) && isObject(env) && isStringList(Object.values(env));
}

export function isSessionInfo(value: unknown): value is SessionInfo {
  return hasTexts(value, "sessionId", "cwd");
}

/** The value if it is a string or null, which clears a field; else undefined, which keeps it. */
export function stringOrNull(value: unknown): string | null | undefined {
  return typeof value === "string" || value === null ? value : undefined;
}

/** Keeps the valid items: the array itself if all are valid, else a copy; undefined for a non-array. */
export function onlyValid<T>(
  value: unknown,
  valid: (item: unknown) => item is T,
): readonly T[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.every(valid) ? value : value.filter(valid);
}

/** Reads the entries of a plan. An unknown priority reads as `medium`, an unknown status as `pending`. */
export function planEntries(items: readonly unknown[]): readonly PlanEntry[] {
  if (items.every(isPlanEntry)) return items;
  const entries: PlanEntry[] = [];
  for (const item of items) {
    if (!isObject(item)) continue;
    const { content, priority, status } = item;
    if (typeof content !== "string") continue;
    entries.push({
      content,
      priority: isPlanPriority(priority) ? priority : "medium",
      status: isPlanStatus(status) ? status : "pending",
    });
  }
  return entries;
}

/** Whether the capabilities of a tool call, terminal or subagent allow the client to cancel it. */
export function canCancel(capabilities: unknown): boolean {
  return isObject(capabilities) && isObject(capabilities["cancel"]);
}

/** An environment variable or a header. */
export interface NameValue {
  readonly name: string;
  /** The value. */
  readonly value: string;
  /** The `_meta` of this pair. */
  readonly _meta?: Meta | null | undefined;
}

/**
 * Converts environment variables or headers from a map to the list form of the wire. Returns any value
 * that is not a map of strings unchanged; validation then reports what is wrong with it.
 */
export function nameValueList(given: unknown): unknown {
  if (!isObject(given)) return given;
  const list: NameValue[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== "string") return given;
    list.push({ name, value });
  }
  return list;
}
