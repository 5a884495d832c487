import {
  isAbsolutePath,
  PLAN_PRIORITIES,
  STOP_REASONS,
  TOOL_KINDS,
} from "../../protocol/acp/index.ts";
import { wireIdKey, paramsOf, resultOf } from "../../trace/index.ts";
import { asObject, type JsonObject, objectsField } from "../../base/index.ts";
import { methodsOf } from "../schema/methods.ts";
import { requestParamsIn, type Judge, type Rule, rule, shortJson, updateIn } from "./rule.ts";

const MESSAGES = /^(?:user|agent)_(?:message|thought)(?:_chunk)?$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function isName(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

const ids = rule("agent", ["ACP-PATCH-201", "ACP-PATCH-204", "ACP-PATCH-205"], () => {
  return (frame, judge) => {
    const { update, kind } = updateIn(frame) ?? {};
    if (!update || kind === undefined) return;
    const named = (id: string, holder: JsonObject, field: string): void =>
      judge(id, !isName(holder[field]) && `a ${kind} without a ${field}`);
    if (MESSAGES.test(kind)) named("ACP-PATCH-201", update, "messageId");
    if (kind === "tool_call_update" || kind === "tool_call_content_chunk")
      named("ACP-PATCH-204", update, "toolCallId");
    if (kind === "plan_update") named("ACP-PATCH-205", asObject(update["plan"]), "planId");
  };
});

const terminals = rule("agent", ["ACP-PATCH-206", "ACP-PATCH-207"], () => {
  const folders = new Map<string, unknown>();
  return (frame, judge) => {
    const seen = updateIn(frame);
    if (!seen) return;
    const { update, kind } = seen;
    const { cwd = null, terminalId } = update;
    if (kind === "terminal_update" && cwd !== null) {
      const key = JSON.stringify([seen.sessionId, terminalId]);
      const before = folders.get(key) ?? cwd;
      folders.set(key, before);
      const problem = `the cwd ${shortJson(cwd)}, and ${shortJson(before)} at first`;
      judge("ACP-PATCH-206", !(isAbsolutePath(cwd) && before === cwd) && problem);
    }
    const output = kind === "terminal_update" ? asObject(update["output"]) : update;
    const { data } = output;
    if (!/^terminal_(?:update|output_chunk)$/.test(kind) || typeof data !== "string") return;
    judge("ACP-PATCH-207", !BASE64.test(data) && `the data ${shortJson(data)}, not base64`);
  };
});

const toolCalls = rule("agent", ["ACP-PATCH-208", "DRA2-TOOL-01", "DRA2-DIFF-01"], () => {
  const names = new Map<string, unknown>();
  return (frame, judge) => {
    const seen = updateIn(frame);
    if (!seen) return;
    const { update, kind } = seen;
    const key = JSON.stringify([seen.sessionId, update["toolCallId"]]);
    if (kind === "tool_call_content_chunk")
      judge("DRA2-TOOL-01", !names.has(key) && "a chunk of a call that was not reported");
    if (kind !== "tool_call_update") return;
    const { name = null, title } = update;
    if (!names.has(key)) {
      judge("ACP-PATCH-208", !isName(title) && "a first update without a title");
      names.set(key, name);
    } else if (name !== null) {
      const before = names.get(key) ?? name;
      names.set(key, before);
      const change = `the name ${shortJson(before)} becomes ${shortJson(name)}`;
      judge("ACP-PATCH-208", before !== name && change);
    }
    judgeDiffs(update, judge);
  };
});

function judgeDiffs(update: JsonObject, judge: Judge): void {
  for (const item of objectsField(update, "content")) {
    const { text } = asObject(item["patch"]);
    if (item["type"] !== "diff" || typeof text !== "string") continue;
    const missing = objectsField(item, "changes")
      .flatMap(({ path, newPath }) => [path, newPath])
      .filter((one) => typeof one === "string")
      .find((path) => !text.includes(path.split(/[\\/]/).at(-1) ?? path));
    const problem = `a patch without the changed file ${shortJson(missing)}`;
    judge("DRA2-DIFF-01", missing !== undefined && problem);
  }
}

/** Version 2 has one more than version 1. */
const V2_STOP_REASONS: readonly string[] = [...STOP_REASONS, "error"];

/** The end of a turn: running comes first, and the reason is known. */
const state = rule("agent", ["ACP-STATE-201", "ACP-STATE-203"], ({ connection }) => {
  const running = new Set<unknown>();
  /** Sessions with a prompt that has not ended. An idle of another session ends no turn. */
  const prompted = new Set<unknown>();
  return (frame, judge) => {
    const { from, message } = frame;
    if (from === "client" && message.kind === "request" && message.method === "session/prompt")
      prompted.add(paramsOf(message)["sessionId"]);
    const seen = updateIn(frame);
    if (seen?.kind !== "state_update") return;
    const { state: now, stopReason = null } = seen.update;
    const { sessionId } = seen;
    if (now === "running") running.add(sessionId);
    if (now !== "idle") return;
    const hasRun = running.delete(sessionId);
    // A resume sends the current state before its response, which is not the end of a turn.
    const isSnapshot = connection
      .open("client")
      .some((one) => one.method === "session/resume" && one.params["sessionId"] === sessionId);
    if (isSnapshot) return;
    if (prompted.delete(sessionId) && stopReason !== null)
      judge("ACP-STATE-201", !hasRun && "an idle that ends a turn, without running before it");
    if (!hasRun) return;
    const isKnown = stopReason !== null && isOpenValue(stopReason, V2_STOP_REASONS);
    judge("ACP-STATE-203", !isKnown && `the stop reason ${shortJson(stopReason)}`);
  };
});

/** A permission request that the client has not answered. */
interface OpenQuestion {
  readonly sessionId: unknown;
  readonly n: number;
  /** Set when the agent has answered a later request, so it had the time to report its state. */
  isLate: boolean;
}

const asking = rule("agent", ["ACP-PATCH-209"], ({ connection }) => {
  const states = new Map<unknown, unknown>();
  const open = new Map<string, OpenQuestion>();
  /** Sessions whose question was answered before they reported a state, which is not a fault. */
  const hurried = new Set<unknown>();
  return (frame, judge) => {
    const { message, n } = frame;
    const { answered } = connection;
    const params = requestParamsIn("session/request_permission", frame);
    if (params && message.kind === "request") {
      const { sessionId } = params;
      if (states.get(sessionId) === "requires_action") judge("ACP-PATCH-209", undefined);
      else open.set(wireIdKey(message.id), { sessionId, n, isLate: false });
    }
    if (answered?.from === "client") {
      for (const question of open.values()) question.isLate ||= answered.n > question.n;
    }
    const question = answered?.from === "agent" ? open.get(wireIdKey(answered.id)) : undefined;
    if (question) {
      open.delete(wireIdKey(answered?.id));
      if (!question.isLate) hurried.add(question.sessionId);
      else {
        const now = shortJson(states.get(question.sessionId));
        const problem = `the state ${now} while the agent waits for permission`;
        judge("ACP-PATCH-209", problem, [question.n, n]);
      }
    }
    const seen = updateIn(frame);
    if (seen?.kind !== "state_update") return;
    const { sessionId } = seen;
    const { state: now } = seen.update;
    states.set(sessionId, now);
    const wasHurried = hurried.delete(sessionId);
    if (now !== "requires_action") return;
    const own = [...open].filter(([, one]) => one.sessionId === sessionId);
    if (wasHurried || own.length > 0) judge("ACP-PATCH-209", undefined);
    for (const [key] of own) open.delete(key);
  };
});

const methods = rule("agent", ["ACP-CLIENTCAP-202", "ACP-PERM-201"], () => {
  return ({ from, message }, judge) => {
    if (from !== "agent" || !("method" in message)) return;
    const { method } = message;
    const isKnown = method.startsWith("_") || methodsOf(2).has(method);
    judge("ACP-CLIENTCAP-202", !isKnown && `the method ${method}, which version 2 does not have`);
    if (method !== "session/request_permission") return;
    const params = paramsOf(message);
    const isKept = isName(params["title"]) && objectsField(params, "options").length > 0;
    judge("ACP-PERM-201", !isKept && `no title or no option: ${shortJson(params)}`);
  };
});

const options = rule("agent", ["ACP-CONFIG-206"], ({ connection }) => {
  const known = new Map<unknown, readonly unknown[]>();
  return (frame, judge) => {
    const { message } = frame;
    const { answered } = connection;
    if (message.kind === "result" && answered?.method.startsWith("session/") === true) {
      const result = resultOf(message);
      const id = answered.params["sessionId"] ?? result["sessionId"];
      if (Array.isArray(result["configOptions"])) known.set(id, configIds(result));
    }
    const seen = updateIn(frame);
    if (seen?.kind !== "config_option_update") return;
    const now = configIds(seen.update);
    const missing = (known.get(seen.sessionId) ?? []).filter((id) => !now.includes(id));
    judge("ACP-CONFIG-206", missing.length > 0 && `without the options ${shortJson(missing)}`);
  };
});

function configIds(value: JsonObject): readonly unknown[] {
  return objectsField(value, "configOptions").map(({ configId }) => configId);
}

/** The known values of open enums: with dedicated words in the docs, and without. */
const STATUSES = ["pending", "in_progress", "paused", "completed", "failed", "cancelled"];
const UPDATES = [
  "user_message",
  "user_message_chunk",
  "agent_message",
  "agent_message_chunk",
  "agent_thought",
  "agent_thought_chunk",
  "state_update",
  "tool_call_update",
  "tool_call_content_chunk",
  "terminal_update",
  "terminal_output_chunk",
  "plan_update",
  "plan_removed",
  "available_commands_update",
  "config_option_update",
  "session_info_update",
  "usage_update",
  "notice",
  "compaction_update",
  "compaction_summary_chunk",
  "subagent_update",
  "session_message",
  "session_message_chunk",
];
const STATES = ["running", "idle", "requires_action", "unknown"];
const CONTENT = ["content", "diff", "terminal"];

function isOpenValue(value: unknown, known: readonly string[]): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === "string" && (value.startsWith("_") || known.includes(value));
}

const enums = rule("agent", ["ACP-ENUM-201", "ACP-ENUM-202"], () => (frame, judge) => {
  const { update, kind } = updateIn(frame) ?? {};
  if (!update) return;
  const known = (id: string, value: unknown, words: readonly string[]): void =>
    judge(id, !isOpenValue(value, words) && `the unknown value ${shortJson(value)}`);
  const plain: [unknown, readonly string[]][] = [];
  if (kind === "tool_call_update")
    plain.push([update["kind"], TOOL_KINDS], [update["status"], STATUSES]);
  for (const entry of objectsField(asObject(update["plan"]), "entries"))
    plain.push([entry["priority"], PLAN_PRIORITIES], [entry["status"], STATUSES]);
  for (const [value, words] of plain) if (value !== undefined) known("ACP-ENUM-201", value, words);
  known("ACP-ENUM-202", update["sessionUpdate"], UPDATES);
  if (kind === "state_update") known("ACP-ENUM-202", update["state"], STATES);
  if (kind !== "tool_call_update") return;
  for (const { type } of objectsField(update, "content")) known("ACP-ENUM-202", type, CONTENT);
});

/** Updates that only version 1 has. */
const OLD_UPDATES = new Set(["tool_call", "plan", "current_mode_update"]);

const mixing = rule("agent", ["DRA2-INIT-01"], ({ connection }) => (frame, judge) => {
  const { message, from } = frame;
  if (from !== "agent" || connection.initialized === undefined) return;
  const { protocolVersion } = connection.initialized;
  // Another version has its own requirement.
  if (protocolVersion !== 1 && protocolVersion !== 2) return;
  const seen = updateIn(frame);
  if (message.kind === "result" && connection.answered?.method === "initialize") {
    const other = protocolVersion === 2 ? "agentCapabilities" : "capabilities";
    const problem = `the field ${other} in a result of version ${protocolVersion}`;
    judge("DRA2-INIT-01", other in resultOf(message) && problem);
  } else if (seen && protocolVersion === 2)
    judge("DRA2-INIT-01", OLD_UPDATES.has(seen.kind) && `the update ${seen.kind} of version 1`);
});

export const V2_RULES: readonly Rule[] = [
  ids,
  terminals,
  toolCalls,
  state,
  asking,
  methods,
  options,
  enums,
  mixing,
];
