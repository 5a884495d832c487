import {
  definedFields,
  isJsonObject as isObject,
  isStringList,
  type JsonObject,
  bytesOf,
  numberField,
} from "../../../base/index.ts";
import { type Meta, metaOf } from "../meta.ts";
import {
  isContentBlock,
  isToolCallContent,
  isToolCallLocation,
  stringOrUndefined,
  onlyValid,
  stringOrNull,
} from "./guards.ts";
import type { AvailableCommand, ContentBlock, ToolKind, PlanEntry } from "../types.ts";
import type {
  ToolCallChange,
  ToolCallPatch,
  AnyUpdate,
  SubagentChange,
  UnstableUpdate,
  PlanRemovedChange,
  PlanUpdateChange,
  BackgroundWork,
  SessionActivity,
  TerminalEnd,
  TerminalSize,
  WorkFailure,
  AgentTerminalChange,
  StateChange,
  V2Update,
} from "../updates.ts";
import { isToolCallStatus, isToolKind, isPlanPriority, isPlanStatus } from "../vocabulary.ts";
import {
  availableCommand,
  configOption,
  cost as costShape,
  failure,
  planContent,
  turnUsage,
} from "./acp-shapes.ts";
import type { PlanContent, SubagentActivity } from "../types/unstable.ts";

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
): AnyUpdate {
  if (!isObject(raw)) return carried(unknownUpdate("", raw), notificationMeta);
  const update = readUpdate(raw, unstable, v2);
  return raw["_meta"] === undefined && notificationMeta === undefined
    ? update
    : carried({ ...update, ...definedFields({ meta: metaOf(raw) }) }, notificationMeta);
}

/** Adds the `_meta` of the notification. */
function carried(update: AnyUpdate, notificationMeta: Meta | undefined): AnyUpdate {
  return notificationMeta === undefined ? update : { ...update, notificationMeta };
}

function readUpdate(raw: JsonObject, unstable: boolean, v2: boolean): AnyUpdate {
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
        messageId: stringOrUndefined(raw["messageId"]),
      };
    }
    case "agent_thought_chunk": {
      const content = raw["content"];
      if (!isContentBlock(content)) break;
      const thought = textOf(content);
      return {
        type: kind,
        text: "",
        raw,
        content,
        messageId: stringOrUndefined(raw["messageId"]),
        thought,
      };
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
      return { type: kind, text: "", raw, content, messageId: stringOrUndefined(raw["messageId"]) };
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
      const configOptions = onlyValid(raw["configOptions"], configOption.accepts);
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
      return {
        type: kind,
        text: "",
        raw,
        used,
        size,
        cost: costShape.accepts(cost) ? cost : undefined,
      };
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

function rareUpdate(kind: unknown, raw: JsonObject): AnyUpdate | undefined {
  switch (kind) {
    case "notice": {
      const severity = raw["severity"];
      const title = raw["title"];
      if (typeof severity !== "string" || typeof title !== "string") return undefined;
      const description = stringOrUndefined(raw["description"]);
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
      return {
        type: kind,
        text: "",
        raw,
        path,
        oldText: stringOrUndefined(raw["oldText"]),
        newText,
      };
    }
    default:
      return undefined;
  }
}

function unknownUpdate(kind: string, raw: unknown): AnyUpdate {
  return { type: "unknown", text: "", raw, kind };
}

/** Reads a `tool_call` or `tool_call_update`. Returns `undefined` when it has no id. Never throws. */
export function toToolCallChange(
  type: ToolCallChange["type"],
  raw: JsonObject,
): ToolCallChange | undefined {
  const toolCallId = raw["toolCallId"];
  if (typeof toolCallId !== "string") return undefined;
  const rawKind = stringOrUndefined(raw["kind"]);
  const rawStatus = stringOrUndefined(raw["status"]);
  return {
    type,
    text: "",
    raw,
    toolCallId,
    title: stringOrUndefined(raw["title"]),
    name: stringOrUndefined(raw["name"]),
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
  if (items.every(availableCommand.accepts)) return items;
  const commands: AvailableCommand[] = [];
  for (const item of items) {
    if (availableCommand.accepts(item)) {
      commands.push(item);
    } else if (isObject(item) && typeof item["name"] === "string") {
      commands.push({
        name: item["name"],
        description: stringOrUndefined(item["description"]) ?? "",
      });
    }
  }
  return commands;
}

/** The text of a content block; empty when it is not text. */
export function textOf(block: ContentBlock): string {
  return block.type === "text" ? block.text : "";
}

/** Reads an update of the unstable schema; undefined if it is not one. Never throws. */
function toUnstableUpdate(kind: unknown, raw: JsonObject): UnstableUpdate | undefined {
  switch (kind) {
    case "plan_update": {
      const plan = readPlan(raw["plan"]);
      return plan && { type: kind, text: "", raw, plan };
    }
    case "plan_removed": {
      const planId = raw["planId"];
      return typeof planId === "string" ? { type: kind, text: "", raw, planId } : undefined;
    }
    case "subagent_update": {
      const sessionId = raw["sessionId"];
      return typeof sessionId === "string" ? subagentChange(sessionId, raw) : undefined;
    }
    case "session_message": {
      const messageId = raw["messageId"];
      if (typeof messageId !== "string") return undefined;
      const content = raw["content"];
      return {
        type: kind,
        text: "",
        raw,
        messageId,
        senderSessionId: stringOrNull(raw["senderSessionId"]),
        recipientSessionId: stringOrNull(raw["recipientSessionId"]),
        senderMessageId: stringOrNull(raw["senderMessageId"]),
        recipientMessageId: stringOrNull(raw["recipientMessageId"]),
        content: content === null ? null : onlyValid(content, isContentBlock),
      };
    }
    case "session_message_chunk": {
      const messageId = raw["messageId"];
      const content = raw["content"];
      if (typeof messageId !== "string" || !isContentBlock(content)) return undefined;
      return { type: kind, text: "", raw, messageId, content };
    }
    default:
      return undefined;
  }
}

function readPlan(value: unknown): PlanContent | undefined {
  if (!planContent.accepts(value)) return undefined;
  return value.type === "items" ? { ...value, entries: planEntries(value.entries) } : value;
}

function subagentChange(sessionId: string, raw: JsonObject): SubagentChange {
  const { capabilities, state, additionalDirectories: folders } = raw;
  return {
    type: "subagent_update",
    text: "",
    raw,
    sessionId,
    title: stringOrNull(raw["title"]),
    description: stringOrNull(raw["description"]),
    canCancel: capabilities === undefined ? undefined : canCancel(capabilities),
    activity: state === null ? null : readActivity(state),
    cwd: stringOrNull(raw["cwd"]),
    additionalDirectories: folders === null || isStringList(folders) ? folders : undefined,
  };
}

function readActivity(value: unknown): SubagentActivity | undefined {
  if (!isObject(value)) return undefined;
  switch (value["state"]) {
    case "running":
      return { state: "running" };
    case "requires_action":
      return { state: "requires_action" };
    case "idle": {
      const { error, usage } = value;
      const stopReason = stringOrUndefined(value["stopReason"]);
      return {
        state: "idle",
        ...(stopReason === undefined ? {} : { stopReason }),
        ...(stopReason === "error" && failure.accepts(error) ? { error } : {}),
        ...(turnUsage.accepts(usage) ? { usage } : {}),
      };
    }
    default:
      return { state: "unknown" };
  }
}

/** Reads an update that only v2 has; undefined if it is not one. Never throws. */
function toV2Update(
  kind: unknown,
  raw: JsonObject,
): V2Update | PlanUpdateChange | PlanRemovedChange | undefined {
  switch (kind) {
    case "state_update":
      return stateChange(raw);
    case "user_message":
    case "agent_message":
    case "agent_thought": {
      const { messageId, content } = raw;
      if (typeof messageId !== "string") return undefined;
      const blocks = content === null ? null : onlyValid(content, isContentBlock);
      return { type: kind, text: "", raw, messageId, content: blocks };
    }
    case "terminal_update": {
      const { terminalId } = raw;
      return typeof terminalId === "string" ? terminalChange(terminalId, raw) : undefined;
    }
    case "terminal_output_chunk": {
      const { terminalId, data } = raw;
      if (typeof terminalId !== "string" || typeof data !== "string") return undefined;
      return { type: kind, text: "", raw, terminalId, bytes: bytesOf(data) };
    }
    case "plan_update":
    case "plan_removed": {
      // Stable in v2, and of the same form as in unstable v1.
      const plan = toUnstableUpdate(kind, raw);
      return plan?.type === "plan_update" || plan?.type === "plan_removed" ? plan : undefined;
    }
    default:
      return undefined;
  }
}

function stateChange(raw: JsonObject): StateChange | undefined {
  const { state, background } = raw;
  if (typeof state !== "string") return undefined;
  const activity = toActivity(state);
  const stopReason = activity === "idle" ? stringOrUndefined(raw["stopReason"]) : undefined;
  return {
    type: "state_update",
    text: "",
    raw,
    activity,
    background: Array.isArray(background) ? background.map(backgroundWork) : undefined,
    stopReason,
    error: stopReason === "error" ? workFailure(raw["error"]) : undefined,
  };
}

function toActivity(state: string): SessionActivity {
  return state === "running" || state === "requires_action" || state === "idle" ? state : "unknown";
}

function backgroundWork(raw: unknown): BackgroundWork {
  if (isObject(raw)) {
    const { type, terminalId, toolCallId } = raw;
    if (type === "terminal" && typeof terminalId === "string") return { type, terminalId };
    if (type === "tool_call" && typeof toolCallId === "string") return { type, toolCallId };
  }
  return { type: "unknown", raw };
}

function workFailure(raw: unknown): WorkFailure | undefined {
  if (!isObject(raw)) return undefined;
  const { code, message, data } = raw;
  if (typeof code !== "number" || typeof message !== "string") return undefined;
  return data === undefined ? { code, message } : { code, message, data };
}

function terminalChange(terminalId: string, raw: JsonObject): AgentTerminalChange {
  const { output, exitStatus, size, capabilities } = raw;
  return {
    type: "terminal_update",
    text: "",
    raw,
    terminalId,
    command: stringOrNull(raw["command"]),
    cwd: stringOrNull(raw["cwd"]),
    output: isObject(output) ? bytesOf(stringOrUndefined(output["data"])) : nullOr(output),
    exit: isObject(exitStatus) ? terminalEnd(exitStatus) : nullOr(exitStatus),
    size: isObject(size) ? terminalSize(size) : nullOr(size),
    canCancel: capabilities === undefined ? undefined : canCancel(capabilities),
  };
}

function nullOr(value: unknown): null | undefined {
  return value === null ? null : undefined;
}

function terminalEnd(raw: JsonObject): TerminalEnd {
  return { code: numberField(raw, "exitCode"), signal: stringOrUndefined(raw["signal"]) };
}

function terminalSize(raw: JsonObject): TerminalSize | undefined {
  const cols = numberField(raw, "cols");
  const rows = numberField(raw, "rows");
  return cols === undefined || rows === undefined ? undefined : { cols, rows };
}

function isPlanEntry(value: unknown): value is PlanEntry {
  return (
    isObject(value) &&
    typeof value["content"] === "string" &&
    isPlanPriority(value["priority"]) &&
    isPlanStatus(value["status"])
  );
}

/** Reads the entries of a plan. An unknown priority reads as `medium`, an unknown status as `pending`. */
function planEntries(items: readonly unknown[]): readonly PlanEntry[] {
  if (items.every(isPlanEntry)) return items;
  return items.flatMap((item): PlanEntry[] => {
    if (!isObject(item) || typeof item["content"] !== "string") return [];
    const { content, priority, status } = item;
    return [
      {
        content,
        priority: isPlanPriority(priority) ? priority : "medium",
        status: isPlanStatus(status) ? status : "pending",
      },
    ];
  });
}

/** Whether the capabilities of a tool call, terminal or subagent allow the client to cancel it. */
function canCancel(capabilities: unknown): boolean {
  return isObject(capabilities) && isObject(capabilities["cancel"]);
}
