import {
  isAbsolutePath,
  PLAN_PRIORITIES,
  STOP_REASONS,
  TOOL_KINDS,
} from "../../protocol/acp/index.ts";
import { idKey } from "../../trace/index.ts";
import { asObject, isJsonObject, type JsonObject } from "../../base/index.ts";
import { methodsOf } from "../schema/methods.ts";
import { agentRequest, objectsIn, shortJson, updateIn } from "./parts.ts";
import type { Rule, RuleReport } from "./rule.ts";

const MESSAGES = /^(?:user|agent)_(?:message|thought)(?:_chunk)?$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function isName(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/** Judges one condition. */
function judge(
  report: RuleReport,
  id: string,
  isKept: boolean,
  expected: string,
  actual: string,
): void {
  if (isKept) report.kept(id);
  else report.broken(id, { expected, actual });
}

const ids: Rule = {
  ids: ["ACP-PATCH-201", "ACP-PATCH-204", "ACP-PATCH-205"],
  side: "agent",
  watch: () => (frame, report) => {
    const seen = updateIn(frame);
    if (!seen) return;
    const { update } = seen;
    const kind = String(seen.kind);
    if (MESSAGES.test(kind)) {
      judge(
        report,
        "ACP-PATCH-201",
        isName(update["messageId"]),
        "a messageId",
        `a ${kind} without one`,
      );
    }
    if (kind === "tool_call_update" || kind === "tool_call_content_chunk") {
      const isKept = isName(update["toolCallId"]);
      judge(report, "ACP-PATCH-204", isKept, "a toolCallId", `a ${kind} without one`);
    }
    if (kind === "plan_update") {
      const isKept = isName(asObject(update["plan"])?.["planId"]);
      judge(report, "ACP-PATCH-205", isKept, "a planId", "a plan without one");
    }
  },
};

const terminals: Rule = {
  ids: ["ACP-PATCH-206", "ACP-PATCH-207"],
  side: "agent",
  watch: () => {
    const folders = new Map<string, unknown>();
    return (frame, report) => {
      const seen = updateIn(frame);
      if (!seen) return;
      const { update, kind } = seen;
      const { cwd = null, terminalId } = update;
      if (kind === "terminal_update" && cwd !== null) {
        const key = JSON.stringify([seen.sessionId, terminalId]);
        const before = folders.get(key) ?? cwd;
        folders.set(key, before);
        const isKept = isAbsolutePath(cwd) && before === cwd;
        const expected = "an absolute cwd that does not change";
        judge(report, "ACP-PATCH-206", isKept, expected, `the cwd ${shortJson(cwd)}`);
      }
      const data =
        kind === "terminal_output_chunk"
          ? update["data"]
          : kind === "terminal_update"
            ? asObject(update["output"])?.["data"]
            : undefined;
      if (typeof data !== "string") return;
      judge(report, "ACP-PATCH-207", BASE64.test(data), "base64", `the data ${shortJson(data)}`);
    };
  },
};

const toolCalls: Rule = {
  ids: ["ACP-PATCH-208", "DRA2-TOOL-01", "DRA2-DIFF-01"],
  side: "agent",
  watch: () => {
    const names = new Map<string, unknown>();
    return (frame, report) => {
      const seen = updateIn(frame);
      if (!seen) return;
      const { update, kind } = seen;
      const key = JSON.stringify([seen.sessionId, update["toolCallId"]]);
      if (kind === "tool_call_content_chunk") {
        const expected = "a chunk of a tool call that was reported";
        judge(report, "DRA2-TOOL-01", names.has(key), expected, "a chunk of an unknown call");
      }
      if (kind !== "tool_call_update") return;
      const { name = null, title } = update;
      if (!names.has(key)) {
        judge(report, "ACP-PATCH-208", isName(title), "a title in the first update", "none");
        names.set(key, name);
      } else if (name !== null) {
        const before = names.get(key) ?? name;
        names.set(key, before);
        const actual = `${shortJson(before)} becomes ${shortJson(name)}`;
        judge(report, "ACP-PATCH-208", before === name, "a name that does not change", actual);
      }
      judgeDiffs(update, report);
    };
  },
};

function judgeDiffs(update: JsonObject, report: RuleReport): void {
  for (const item of objectsIn(update["content"])) {
    const { type, patch, changes } = item;
    const text = asObject(patch)?.["text"];
    if (type !== "diff" || typeof text !== "string") continue;
    const paths = objectsIn(changes).flatMap(({ path, newPath }) =>
      [path, newPath].filter((one) => typeof one === "string"),
    );
    const missing = paths.find((path) => !text.includes(baseName(path)));
    const expected = "a patch that names every changed file";
    judge(report, "DRA2-DIFF-01", missing === undefined, expected, `without ${shortJson(missing)}`);
  }
}

function baseName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}

/** Version 2 has one more than version 1. */
const V2_STOP_REASONS: readonly string[] = [...STOP_REASONS, "error"];

/** The end of a turn: running comes first, and the reason is known. */
const state: Rule = {
  ids: ["ACP-STATE-201", "ACP-STATE-203"],
  side: "agent",
  watch: ({ connection }) => {
    const running = new Set<unknown>();
    /** Sessions with a prompt that has not ended. An idle of another session ends no turn. */
    const prompted = new Set<unknown>();
    return (frame, report) => {
      const { from, message } = frame;
      if (from === "client" && message.kind === "request" && message.method === "session/prompt") {
        prompted.add(asObject(message.params)?.["sessionId"]);
      }
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
      if (prompted.delete(sessionId) && stopReason !== null) {
        const expected = "running before the idle that ends a turn";
        judge(report, "ACP-STATE-201", hasRun, expected, "idle at once");
      }
      if (!hasRun) return;
      const isKept =
        typeof stopReason === "string" &&
        (V2_STOP_REASONS.includes(stopReason) || stopReason.startsWith("_"));
      const expected = "a known stop reason, or one that begins with an underscore";
      judge(report, "ACP-STATE-203", isKept, expected, `the stop reason ${shortJson(stopReason)}`);
    };
  },
};

/** A permission request that the client has not answered. */
interface OpenQuestion {
  readonly sessionId: unknown;
  readonly n: number;
  /** Set when the agent has answered a later request, so it had the time to report its state. */
  isLate: boolean;
}

const asking: Rule = {
  ids: ["ACP-PATCH-209"],
  side: "agent",
  watch: ({ connection }) => {
    const states = new Map<unknown, unknown>();
    const open = new Map<string, OpenQuestion>();
    /** Sessions whose question was answered before they reported a state, which is not a fault. */
    const hurried = new Set<unknown>();
    return (frame, report) => {
      const { message, n } = frame;
      const { answered } = connection;
      const request = agentRequest(frame);
      if (request?.method === "session/request_permission" && message.kind === "request") {
        const { sessionId } = request.params;
        if (states.get(sessionId) === "requires_action") report.kept("ACP-PATCH-209");
        else open.set(idKey(message.id), { sessionId, n, isLate: false });
      }
      if (answered?.from === "client") {
        for (const question of open.values()) question.isLate ||= answered.n > question.n;
      }
      const question = answered?.from === "agent" ? open.get(idKey(answered.id)) : undefined;
      if (question) {
        open.delete(idKey(answered?.id));
        if (!question.isLate) hurried.add(question.sessionId);
        else {
          const expected = "requires_action while the agent waits for permission";
          const actual = `the state ${shortJson(states.get(question.sessionId))}`;
          report.broken("ACP-PATCH-209", { expected, actual, frames: [question.n, n] });
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
      if (wasHurried || own.length > 0) report.kept("ACP-PATCH-209");
      for (const [key] of own) open.delete(key);
    };
  },
};

const methods: Rule = {
  ids: ["ACP-CLIENTCAP-202", "ACP-PERM-201"],
  side: "agent",
  watch: () => (frame, report) => {
    const { from, message } = frame;
    if (from !== "agent" || !("method" in message)) return;
    const { method } = message;
    const isKnown = method.startsWith("_") || methodsOf(2).has(method);
    const expected = "a method of version 2";
    judge(report, "ACP-CLIENTCAP-202", isKnown, expected, `the method ${method}`);
    if (method !== "session/request_permission") return;
    const params = asObject(message.params) ?? {};
    const isKept = isName(params["title"]) && objectsIn(params["options"]).length > 0;
    judge(report, "ACP-PERM-201", isKept, "a title and an option", shortJson(params));
  },
};

const options: Rule = {
  ids: ["ACP-CONFIG-206"],
  side: "agent",
  watch: ({ connection }) => {
    const known = new Map<unknown, readonly unknown[]>();
    return (frame, report) => {
      const { message } = frame;
      const { answered } = connection;
      if (message.kind === "result" && answered?.method.startsWith("session/") === true) {
        const result = asObject(message.result) ?? {};
        const id = answered.params["sessionId"] ?? result["sessionId"];
        if (Array.isArray(result["configOptions"])) known.set(id, configIds(result));
      }
      const seen = updateIn(frame);
      if (seen?.kind !== "config_option_update") return;
      const now = configIds(seen.update);
      const missing = (known.get(seen.sessionId) ?? []).filter((id) => !now.includes(id));
      judge(
        report,
        "ACP-CONFIG-206",
        missing.length === 0,
        "all options",
        `without ${shortJson(missing)}`,
      );
    };
  },
};

function configIds(value: JsonObject): readonly unknown[] {
  return objectsIn(value["configOptions"]).map(({ configId }) => configId);
}

/** The known values of open enums: with dedicated words in the docs, and without. */
const STATUSES = ["pending", "in_progress", "paused", "completed", "failed", "cancelled"];
const UPDATES = new Set([
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
]);
const STATES = ["running", "idle", "requires_action", "unknown"];
const CONTENT = ["content", "diff", "terminal"];

function isOpenValue(value: unknown, known: readonly string[] | ReadonlySet<string>): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value !== "string") return false;
  return value.startsWith("_") || new Set(known).has(value);
}

const enums: Rule = {
  ids: ["ACP-ENUM-201", "ACP-ENUM-202"],
  side: "agent",
  watch: () => (frame, report) => {
    const seen = updateIn(frame);
    if (!seen) return;
    const { update, kind } = seen;
    const expected = "a known value, or one that begins with an underscore";
    const plain: [unknown, readonly string[]][] = [];
    if (kind === "tool_call_update")
      plain.push([update["kind"], TOOL_KINDS], [update["status"], STATUSES]);
    for (const entry of objectsIn(asObject(update["plan"])?.["entries"])) {
      plain.push([entry["priority"], PLAN_PRIORITIES], [entry["status"], STATUSES]);
    }
    for (const [value, known] of plain) {
      if (value === undefined) continue;
      judge(report, "ACP-ENUM-201", isOpenValue(value, known), expected, shortJson(value));
    }
    judge(report, "ACP-ENUM-202", isOpenValue(kind, UPDATES), expected, shortJson(kind));
    const { state: now } = update;
    if (kind === "state_update") {
      judge(report, "ACP-ENUM-202", isOpenValue(now, STATES), expected, shortJson(now));
    }
    if (kind !== "tool_call_update") return;
    for (const { type } of objectsIn(update["content"])) {
      judge(report, "ACP-ENUM-202", isOpenValue(type, CONTENT), expected, shortJson(type));
    }
  },
};

/** Updates that only version 1 has. */
const OLD_UPDATES = new Set(["tool_call", "plan", "current_mode_update"]);

const mixing: Rule = {
  ids: ["DRA2-INIT-01"],
  side: "agent",
  watch:
    ({ connection }) =>
    (frame, report) => {
      const { message, from } = frame;
      if (from !== "agent" || connection.initialized === undefined) return;
      const { protocolVersion } = connection.initialized;
      // Another version has its own requirement.
      if (protocolVersion !== 1 && protocolVersion !== 2) return;
      const isNew = protocolVersion === 2;
      const seen = updateIn(frame);
      if (message.kind === "result" && connection.answered?.method === "initialize") {
        const result = isJsonObject(message.result) ? message.result : {};
        const other = isNew ? "agentCapabilities" : "capabilities";
        const actual = `the field ${other} in a result of version ${isNew ? 2 : 1}`;
        judge(report, "DRA2-INIT-01", !(other in result), "fields of one version", actual);
      } else if (seen && isNew) {
        const isOld = OLD_UPDATES.has(String(seen.kind));
        judge(
          report,
          "DRA2-INIT-01",
          !isOld,
          "updates of version 2",
          `the update ${String(seen.kind)}`,
        );
      }
    },
};

/** Rules that only version 2 has. */
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
