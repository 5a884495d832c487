import {
  bytesOf,
  isJsonObject as isObject,
  type JsonObject,
  numberField,
} from "../../../base/index.ts";
import { isContentBlock, stringOr } from "../parse/guards.ts";
import { canCancel, onlyValid, stringOrNull } from "../parse/fields.ts";
import { toUnstableUpdate } from "../unstable/update.ts";
import type { PlanRemovedChange, PlanUpdateChange } from "../unstable/updates.ts";
import type {
  BackgroundWork,
  SessionActivity,
  TerminalEnd,
  TerminalSize,
  WorkFailure,
} from "./types.ts";
import type { AgentTerminalChange, StateChange, V2Update } from "./updates.ts";

/** Reads an update that only v2 has; undefined if it is not one. Never throws. */
export function toV2Update(
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
  const stopReason = activity === "idle" ? stringOr(raw["stopReason"]) : undefined;
  return {
    type: "state_update",
    text: "",
    raw,
    activity,
    background: Array.isArray(background) ? background.map(backgroundWork) : undefined,
    stopReason,
    error: stopReason === "error" ? failure(raw["error"]) : undefined,
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

function failure(raw: unknown): WorkFailure | undefined {
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
    output: isObject(output) ? bytesOf(stringOr(output["data"])) : nullOr(output),
    exit: isObject(exitStatus) ? terminalEnd(exitStatus) : nullOr(exitStatus),
    size: isObject(size) ? terminalSize(size) : nullOr(size),
    canCancel: capabilities === undefined ? undefined : canCancel(capabilities),
  };
}

function nullOr(value: unknown): null | undefined {
  return value === null ? null : undefined;
}

function terminalEnd(raw: JsonObject): TerminalEnd {
  return { code: numberField(raw, "exitCode"), signal: stringOr(raw["signal"]) };
}

function terminalSize(raw: JsonObject): TerminalSize | undefined {
  const cols = numberField(raw, "cols");
  const rows = numberField(raw, "rows");
  return cols === undefined || rows === undefined ? undefined : { cols, rows };
}
