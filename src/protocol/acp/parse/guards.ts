import { isJsonObject as isObject, isStringList } from "../../../base/index.ts";
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
import type { SessionInfo } from "../unstable/types.ts";
import { isPlanPriority, isPlanStatus } from "../vocabulary.ts";

/*
 * Guards for parsed JSON. Each checks the fields that the schema requires and nothing else. An optional
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

function isSelectOption(value: unknown): boolean {
  return isObject(value) && typeof value["value"] === "string" && typeof value["name"] === "string";
}

function isSelectGroup(value: unknown): boolean {
  if (!isObject(value) || typeof value["group"] !== "string") return false;
  const options = value["options"];
  return (
    typeof value["name"] === "string" && Array.isArray(options) && options.every(isSelectOption)
  );
}

/** False for option types that this version does not know. The protocol requires ignoring those. */
export function isConfigOption(value: unknown): value is SessionConfigOption {
  if (!isObject(value)) return false;
  if (typeof value["id"] !== "string" || typeof value["name"] !== "string") return false;
  if (value["type"] === "boolean") return typeof value["currentValue"] === "boolean";
  if (value["type"] !== "select" || typeof value["currentValue"] !== "string") return false;
  const options = value["options"];
  return Array.isArray(options) && (options.every(isSelectOption) || options.every(isSelectGroup));
}

function isMode(value: unknown): value is SessionMode {
  return isObject(value) && typeof value["id"] === "string" && typeof value["name"] === "string";
}

export function isModeState(value: unknown): value is SessionModeState {
  if (!isObject(value) || typeof value["currentModeId"] !== "string") return false;
  const modes = value["availableModes"];
  return Array.isArray(modes) && modes.every(isMode);
}

export function isCost(value: unknown): value is Cost {
  return (
    isObject(value) && typeof value["amount"] === "number" && typeof value["currency"] === "string"
  );
}

export function isImplementation(value: unknown): value is Implementation {
  return (
    isObject(value) && typeof value["name"] === "string" && typeof value["version"] === "string"
  );
}

export function isAuthMethod(value: unknown): value is AuthMethod {
  if (!isObject(value)) return false;
  if (typeof value["id"] !== "string" || typeof value["name"] !== "string") return false;
  const type = value["type"] ?? "agent";
  if (type === "agent") return true;
  if (type !== "terminal") return false;
  // Both end up on a command line, so unlike other optional fields they must have the right type.
  const args = value["args"] ?? [];
  const env = value["env"] ?? {};
  return isStringList(args) && isObject(env) && isStringList(Object.values(env));
}

export function isSessionInfo(value: unknown): value is SessionInfo {
  return (
    isObject(value) && typeof value["sessionId"] === "string" && typeof value["cwd"] === "string"
  );
}
