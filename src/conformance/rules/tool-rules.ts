import { isAbsolutePath } from "../../protocol/acp/index.ts";
import { asObject, type JsonObject } from "../../base/index.ts";
import type { Connection, JudgedFrame } from "./connection.ts";
import { agentRequest, objectsIn, shortJson, updateIn } from "./parts.ts";
import type { Rule, RuleReport } from "./rule.ts";

interface SeenCall {
  readonly n: number;
  /** The final status, and the frame that gave it. */
  final: { readonly status: string; readonly n: number } | undefined;
}

const FINAL = new Set(["completed", "failed"]);

/** A load replays the calls of a session, so everything known about them is forgotten. */
function forgetLoaded(frame: JudgedFrame, calls: Map<string, SeenCall>): void {
  const { from, message } = frame;
  if (from !== "client" || message.kind !== "request" || message.method !== "session/load") return;
  const sessionId = asObject(message.params)?.["sessionId"];
  const prefix = `${JSON.stringify(sessionId)} `;
  for (const key of calls.keys()) if (key.startsWith(prefix)) calls.delete(key);
}

function callKey(sessionId: unknown, toolCallId: unknown): string {
  return `${JSON.stringify(sessionId)} ${JSON.stringify(toolCallId)}`;
}

const calls: Rule = {
  ids: ["DRA-TOOL-02", "DRA-TOOL-03", "DRA-TOOL-04"],
  side: "agent",
  watch: () => {
    const known = new Map<string, SeenCall>();
    return (frame, report) => {
      forgetLoaded(frame, known);
      const seen = updateIn(frame);
      if (seen?.kind === "tool_call") announced(seen.sessionId, seen.update, frame, known, report);
      if (seen?.kind === "tool_call_update") {
        updated(seen.sessionId, seen.update, frame, known, report);
      }
      const request = agentRequest(frame);
      if (request?.method !== "session/request_permission") return;
      const toolCall = asObject(request.params["toolCall"]) ?? {};
      updated(request.params["sessionId"], toolCall, frame, known, report);
    };
  },
};

function announced(
  sessionId: unknown,
  { toolCallId, status }: JsonObject,
  { n }: JudgedFrame,
  known: Map<string, SeenCall>,
  report: RuleReport,
): void {
  const key = callKey(sessionId, toolCallId);
  const before = known.get(key);
  if (before?.final) {
    report.broken("DRA-TOOL-03", {
      expected: "a new id for a new call",
      actual: `the id ${shortJson(toolCallId)} of a finished call`,
      frames: [before.n, before.final.n, n],
    });
  } else report.kept("DRA-TOOL-03");
  if (before && !before.final) {
    report.broken("DRA-TOOL-02", {
      expected: `one tool_call with the id ${shortJson(toolCallId)}`,
      actual: "a second one",
      frames: [before.n, n],
    });
  } else report.kept("DRA-TOOL-02");
  known.set(key, { n, final: finalOf(status, n) });
}

function updated(
  sessionId: unknown,
  { toolCallId, status }: JsonObject,
  { n }: JudgedFrame,
  known: Map<string, SeenCall>,
  report: RuleReport,
): void {
  const call = known.get(callKey(sessionId, toolCallId));
  if (!call) {
    report.broken("DRA-TOOL-02", {
      expected: `a tool_call with the id ${shortJson(toolCallId)} first`,
      actual: "an update or a permission request without one",
    });
    known.set(callKey(sessionId, toolCallId), { n, final: finalOf(status, n) });
    return;
  }
  report.kept("DRA-TOOL-02");
  if (typeof status !== "string") return;
  if (call.final && call.final.status !== status) {
    report.broken("DRA-TOOL-04", {
      expected: `the call stays ${call.final.status}`,
      actual: `it becomes ${status}`,
      frames: [call.final.n, n],
    });
  } else report.kept("DRA-TOOL-04");
  call.final ??= finalOf(status, n);
}

function finalOf(status: unknown, n: number): SeenCall["final"] {
  return typeof status === "string" && FINAL.has(status) ? { status, n } : undefined;
}

/** The tool call of a frame, from an update or a permission request. */
function toolCallIn(frame: JudgedFrame): JsonObject | undefined {
  const seen = updateIn(frame);
  if (seen?.kind === "tool_call" || seen?.kind === "tool_call_update") return seen.update;
  const request = agentRequest(frame);
  if (request?.method !== "session/request_permission") return undefined;
  return asObject(request.params["toolCall"]);
}

const paths: Rule = {
  ids: ["DRA-TOOL-07"],
  side: "agent",
  watch: () => (frame, report) => {
    const call = toolCallIn(frame);
    if (!call) return;
    const diffs = objectsIn(call["content"]).filter(({ type }) => type === "diff");
    const locations = objectsIn(call["locations"]);
    const places = [...diffs, ...locations];
    if (places.length === 0) return;
    const relative = places.find(({ path }) => !isAbsolutePath(path));
    const badLine = locations.find(({ line }) => typeof line === "number" && line < 1);
    if (relative) {
      report.broken("DRA-TOOL-07", {
        expected: "an absolute path",
        actual: `the path ${shortJson(relative["path"])}`,
      });
    } else if (badLine) {
      report.broken("DRA-TOOL-07", {
        expected: "lines that count from 1",
        actual: `line ${shortJson(badLine["line"])}`,
      });
    } else report.kept("DRA-TOOL-07");
  },
};

const terminals: Rule = {
  ids: ["DRA-TOOL-09"],
  side: "agent",
  watch: ({ connection }) => {
    const open = new Set<unknown>();
    // Clients keep showing a released terminal, and an update replaces all content of its call, so a
    // call that showed the terminal in time may name it again.
    const shown = new Set<string>();
    return (frame, report) => {
      follow(frame, connection, open);
      const call = toolCallIn(frame);
      const isReplay = connection.open("client").some(({ method }) => method === "session/load");
      if (!call || isReplay) return;
      for (const { type, terminalId } of objectsIn(call["content"])) {
        if (type !== "terminal") continue;
        const key = callKey(terminalId, call["toolCallId"]);
        if (open.has(terminalId)) shown.add(key);
        if (shown.has(key)) report.kept("DRA-TOOL-09");
        else {
          report.broken("DRA-TOOL-09", {
            expected: "a terminal that was created and not released",
            actual: `the terminal ${shortJson(terminalId)}`,
          });
        }
      }
    };
  },
};

function follow(frame: JudgedFrame, { answered }: Connection, open: Set<unknown>): void {
  const { message } = frame;
  if (message.kind === "result" && answered?.method === "terminal/create") {
    open.add(asObject(message.result)?.["terminalId"]);
  }
  const request = agentRequest(frame);
  if (request?.method === "terminal/release") open.delete(request.params["terminalId"]);
}

/** Rules about tool calls of version 1. */
export const TOOL_RULES: readonly Rule[] = [calls, paths, terminals];
