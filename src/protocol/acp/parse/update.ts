import { definedFields, isStringList, type JsonObject } from "../../../base/index.ts";
import { type Meta, metaOf } from "../meta.ts";
import {
  isCommand,
  isConfigOption,
  isContentBlock,
  isCost,
  isObject,
  isToolCallContent,
  isToolCallLocation,
  stringOr,
} from "./guards.ts";
import { canCancel, onlyValid, planEntries, stringOrNull } from "./fields.ts";
import { toUnstableUpdate } from "../unstable/update.ts";
import { toV2Update } from "../v2/update.ts";
import type { AvailableCommand, ContentBlock, ToolKind } from "../types.ts";
import type { ToolCallChange, ToolCallPatch, Update } from "../updates.ts";
import { isToolCallStatus, isToolKind } from "../vocabulary.ts";

/**
 * Reads the `update` of a `session/update`, and the `_meta` next to it. Never throws: a value that cannot
 * be read becomes `{ type: "unknown" }` with the value in `raw`. The updates of the unstable schema are
 * read only if `unstable` is true, and those of v2 only if `v2` is.
 *
 * This runs once per streamed token. It is fast because each case builds a plain literal of one shape,
 * frequent cases come first, and valid arrays are reused.
 */
export function toUpdate(
  raw: unknown,
  notificationMeta?: Meta,
  unstable = false,
  v2 = false,
): Update {
  if (!isObject(raw)) return carried(unknownUpdate("", raw), notificationMeta);
  const update = readUpdate(raw, unstable, v2);
  return raw["_meta"] === undefined && notificationMeta === undefined
    ? update
    : carried({ ...update, ...definedFields({ meta: metaOf(raw) }) }, notificationMeta);
}

/** Adds the `_meta` of the notification. */
function carried(update: Update, notificationMeta: Meta | undefined): Update {
  return notificationMeta === undefined ? update : { ...update, notificationMeta };
}

function readUpdate(raw: JsonObject, unstable: boolean, v2: boolean): Update {
  const kind = raw["sessionUpdate"];
  switch (kind) {
    case "agent_message_chunk": {
      const content = raw["content"];
      if (!isContentBlock(content)) break;
      return {
        type: kind,
        text: textOf(content),
        raw,
        content,
        messageId: stringOr(raw["messageId"]),
      };
    }
    case "agent_thought_chunk": {
      const content = raw["content"];
      if (!isContentBlock(content)) break;
      const thought = textOf(content);
      return { type: kind, text: "", raw, content, messageId: stringOr(raw["messageId"]), thought };
    }
    case "tool_call_update":
    case "tool_call": {
      const change = toToolCallChange(kind, raw);
      if (change === undefined) break;
      return change;
    }
    case "user_message_chunk": {
      const content = raw["content"];
      if (!isContentBlock(content)) break;
      return { type: kind, text: "", raw, content, messageId: stringOr(raw["messageId"]) };
    }
    case "plan": {
      const entries = raw["entries"];
      if (!Array.isArray(entries)) break;
      return { type: kind, text: "", raw, entries: planEntries(entries) };
    }
    case "available_commands_update": {
      const commands = raw["availableCommands"];
      if (!Array.isArray(commands)) break;
      return { type: kind, text: "", raw, commands: commandList(commands) };
    }
    case "current_mode_update": {
      const currentModeId = raw["currentModeId"];
      if (typeof currentModeId !== "string") break;
      return { type: kind, text: "", raw, currentModeId };
    }
    case "config_option_update": {
      const configOptions = onlyValid(raw["configOptions"], isConfigOption);
      if (configOptions === undefined) break;
      return { type: kind, text: "", raw, configOptions };
    }
    case "session_info_update":
      return {
        type: kind,
        text: "",
        raw,
        title: stringOrNull(raw["title"]),
        updatedAt: stringOrNull(raw["updatedAt"]),
      };
    case "usage_update": {
      const used = raw["used"];
      const size = raw["size"];
      const cost = raw["cost"];
      if (typeof used !== "number" || typeof size !== "number") break;
      return { type: kind, text: "", raw, used, size, cost: isCost(cost) ? cost : undefined };
    }
    default: {
      const rare = rareUpdate(kind, raw);
      if (rare !== undefined) return rare;
      const newer = unstable ? toUnstableUpdate(kind, raw) : undefined;
      if (newer !== undefined) return newer;
      const ofV2 = v2 ? toV2Update(kind, raw) : undefined;
      if (ofV2 !== undefined) return ofV2;
    }
  }
  return unknownUpdate(typeof kind === "string" ? kind : "", raw);
}

function rareUpdate(kind: unknown, raw: JsonObject): Update | undefined {
  switch (kind) {
    case "notice": {
      const severity = raw["severity"];
      const title = raw["title"];
      if (typeof severity !== "string" || typeof title !== "string") return undefined;
      const description = stringOr(raw["description"]);
      return { type: kind, text: "", raw, severity, title, description };
    }
    case "compaction_update": {
      const compactionId = raw["compactionId"];
      const status = raw["status"];
      const given = raw["summary"];
      if (typeof compactionId !== "string" || typeof status !== "string") return undefined;
      const summary = given === null ? null : onlyValid(given, isContentBlock);
      const error = stringOrNull(raw["error"]);
      return { type: kind, text: "", raw, compactionId, status, summary, error };
    }
    case "compaction_summary_chunk": {
      const compactionId = raw["compactionId"];
      const content: unknown = raw["content"];
      if (typeof compactionId !== "string" || !isContentBlock(content)) return undefined;
      return { type: kind, text: "", raw, compactionId, content };
    }
    case "diff": {
      const path = raw["path"];
      const newText = raw["newText"];
      if (typeof path !== "string" || typeof newText !== "string") return undefined;
      return { type: kind, text: "", raw, path, oldText: stringOr(raw["oldText"]), newText };
    }
    default:
      return undefined;
  }
}

function unknownUpdate(kind: string, raw: unknown): Update {
  return { type: "unknown", text: "", raw, kind };
}

/** Reads a `tool_call` or `tool_call_update`. Returns `undefined` when it has no id. Never throws. */
export function toToolCallChange(
  type: ToolCallChange["type"],
  raw: JsonObject,
): ToolCallChange | undefined {
  const toolCallId = raw["toolCallId"];
  if (typeof toolCallId !== "string") return undefined;
  const rawKind = stringOr(raw["kind"]);
  const rawStatus = stringOr(raw["status"]);
  return {
    type,
    text: "",
    raw,
    toolCallId,
    title: stringOr(raw["title"]),
    name: stringOr(raw["name"]),
    kind: rawKind === undefined ? undefined : toolKind(rawKind),
    rawKind,
    status: isToolCallStatus(rawStatus) ? rawStatus : undefined,
    rawStatus,
    content: onlyValid(raw["content"], isToolCallContent),
    locations: onlyValid(raw["locations"], isToolCallLocation),
    rawInput: raw["rawInput"] ?? undefined,
    rawOutput: raw["rawOutput"] ?? undefined,
    canCancel: raw["capabilities"] === undefined ? undefined : canCancel(raw["capabilities"]),
    cleared: isStringList(raw["cleared"]) ? raw["cleared"] : undefined,
    meta: metaOf(raw),
  };
}

/**
 * Reads the `toolCall` of a permission request, which has the fields of a `tool_call_update` without
 * the tag. Returns `undefined` when it has no id. Never throws.
 */
export function toToolCallPatch(raw: unknown): ToolCallPatch | undefined {
  return isObject(raw) ? toToolCallChange("tool_call_update", raw) : undefined;
}

function toolKind(kind: string): ToolKind {
  return isToolKind(kind) ? kind : "other";
}

function commandList(items: readonly unknown[]): readonly AvailableCommand[] {
  if (items.every(isCommand)) return items;
  const commands: AvailableCommand[] = [];
  for (const item of items) {
    if (isCommand(item)) {
      commands.push(item);
    } else if (isObject(item) && typeof item["name"] === "string") {
      commands.push({ name: item["name"], description: stringOr(item["description"]) ?? "" });
    }
  }
  return commands;
}

/** The text of a content block; empty when it is not text. */
export function textOf(block: ContentBlock): string {
  return block.type === "text" ? block.text : "";
}
