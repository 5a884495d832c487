import { isStringList, type JsonObject } from "../../../base/index.ts";
import { isContentBlock, isObject, stringOr } from "../parse/guards.ts";
import { canCancel, onlyValid, planEntries, stringOrNull } from "../parse/fields.ts";
import { planContent, rpcFailure, turnUsage } from "./shapes.ts";
import type { PlanContent, SubagentActivity, SubagentFailure, TurnUsage } from "./types.ts";
import type { SubagentChange, UnstableUpdate } from "./updates.ts";

/** Reads an update of the unstable schema; undefined if it is not one. Never throws. */
export function toUnstableUpdate(kind: unknown, raw: JsonObject): UnstableUpdate | undefined {
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

function isPlan(value: unknown): value is PlanContent {
  return planContent.accepts(value);
}

function readPlan(value: unknown): PlanContent | undefined {
  if (!isPlan(value)) return undefined;
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
      const stopReason = stringOr(value["stopReason"]);
      return {
        state: "idle",
        ...(stopReason === undefined ? {} : { stopReason }),
        ...(stopReason === "error" && isFailure(error) ? { error } : {}),
        ...(isTurnUsage(usage) ? { usage } : {}),
      };
    }
    default:
      return { state: "unknown" };
  }
}

function isFailure(value: unknown): value is SubagentFailure {
  return rpcFailure.accepts(value);
}

/** True for a token usage with its required counts. */
export function isTurnUsage(value: unknown): value is TurnUsage {
  return turnUsage.accepts(value);
}
