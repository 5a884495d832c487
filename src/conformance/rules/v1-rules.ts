import { isAbsolutePath } from "../../protocol/acp/index.ts";
import {
  asObject,
  isJsonObject,
  type JsonObject,
  objectsField,
  stringField,
} from "../../base/index.ts";
import { paramsOf } from "../../trace/index.ts";
import type { Connection, JudgedFrame } from "./connection.ts";
import { requestParamsIn, type Rule, rule, shortJson, updateIn } from "./rule.ts";

/*
 * Rules of version 1 about updates, tool calls, and the requests of agents.
 */

/** Updates that a client has to offer to take, and the capability. */
const OFFERED: Readonly<Record<string, string>> = {
  notice: "notices",
  compaction_update: "compaction",
  compaction_summary_chunk: "compaction",
};

const scope = rule("agent", ["DRA-UPD-01"], ({ connection }) => (frame, judge) => {
  const seen = updateIn(frame);
  if (!seen) return;
  const { sessionId, kind } = seen;
  const foreign = `an update of the session ${shortJson(sessionId)}, which this connection did not open`;
  if (!isKnownSession(connection, sessionId)) return judge("DRA-UPD-01", foreign);
  const capability = OFFERED[kind];
  const isOffered =
    capability === undefined ||
    isJsonObject(asObject(connection.clientCapabilities["session"])[capability]);
  judge("DRA-UPD-01", !isOffered && `a ${kind}, although session.${capability} is not offered`);
});

/** The id of a new session is unknown until its response, which may come after the first updates. */
function isKnownSession(connection: Connection, sessionId: unknown): boolean {
  if (typeof sessionId !== "string") return false;
  if (connection.sessions.has(sessionId)) return true;
  return connection.open("client").some(({ method }) => /^session\/(?:new|fork)$/.test(method));
}

const ROLES: Readonly<Record<string, string>> = {
  user_message_chunk: "user",
  agent_message_chunk: "agent",
  agent_thought_chunk: "agent",
};

const messageIds = rule("agent", ["DRA-UPD-02"], () => {
  const roles = new Map<string, { readonly role: string; readonly n: number }>();
  return (frame, judge) => {
    const seen = updateIn(frame);
    const role = ROLES[seen?.kind ?? ""];
    const messageId = seen?.update["messageId"];
    if (!seen || role === undefined || typeof messageId !== "string") return;
    const key = JSON.stringify([seen.sessionId, messageId]);
    const known = roles.get(key) ?? { role, n: frame.n };
    roles.set(key, known);
    const problem = `the message ${messageId} of the ${known.role} is one of the ${role} now`;
    judge("DRA-UPD-02", known.role !== role && problem, [known.n, frame.n]);
  };
});

const usage = rule("agent", ["DRA-USE-01"], () => (frame, judge) => {
  const seen = updateIn(frame);
  if (seen?.kind === "usage_update") judge("DRA-USE-01", usageProblem(seen.update));
});

function usageProblem({ used, size, cost }: JsonObject): string | undefined {
  for (const [name, value] of Object.entries({ used, size })) {
    if (typeof value === "number" && value < 0) return `${name} is ${value}`;
  }
  const { amount, currency } = asObject(cost);
  if (typeof amount === "number" && amount < 0) return `the cost is ${amount}`;
  if (typeof currency === "string" && !/^[A-Z]{3}$/.test(currency))
    return `the currency is ${shortJson(currency)}`;
  return undefined;
}

const commands = rule("agent", ["DRA-CMD-01"], () => (frame, judge) => {
  const seen = updateIn(frame);
  if (seen?.kind === "available_commands_update")
    judge("DRA-CMD-01", commandProblem(objectsField(seen.update, "availableCommands")));
});

function commandProblem(list: readonly JsonObject[]): string | undefined {
  const names = new Set<unknown>();
  for (const { name, input } of list) {
    if (names.has(name)) return `two commands with the name ${shortJson(name)}`;
    names.add(name);
    if (typeof name === "string" && name.startsWith("/")) return `the name ${shortJson(name)}`;
    if (isJsonObject(input) && !stringField(input, "hint"))
      return `${shortJson(name)} takes input and has no hint`;
  }
  return undefined;
}

interface SeenCall {
  readonly n: number;
  /** The final status, and the frame that gave it. */
  final: { readonly status: string; readonly n: number } | undefined;
}

const FINAL = new Set(["completed", "failed"]);

function finalOf(status: unknown, n: number): SeenCall["final"] {
  return typeof status === "string" && FINAL.has(status) ? { status, n } : undefined;
}

function callKey(sessionId: unknown, toolCallId: unknown): string {
  return `${JSON.stringify(sessionId)} ${JSON.stringify(toolCallId)}`;
}

/** The tool call of a frame, from an update or a permission request. */
function toolCallIn(
  frame: JudgedFrame,
): { readonly sessionId: unknown; readonly call: JsonObject; readonly isNew: boolean } | undefined {
  const seen = updateIn(frame);
  const isNew = seen?.kind === "tool_call";
  if (seen && (isNew || seen.kind === "tool_call_update"))
    return { sessionId: seen.sessionId, call: seen.update, isNew };
  const params = requestParamsIn("session/request_permission", frame);
  if (!params) return undefined;
  return { sessionId: params["sessionId"], call: asObject(params["toolCall"]), isNew };
}

const calls = rule("agent", ["DRA-TOOL-02", "DRA-TOOL-03", "DRA-TOOL-04"], () => {
  const known = new Map<string, SeenCall>();
  return (frame, judge) => {
    forgetLoaded(frame, known);
    const seen = toolCallIn(frame);
    if (!seen) return;
    const { n } = frame;
    const { toolCallId, status } = seen.call;
    const key = callKey(seen.sessionId, toolCallId);
    const call = known.get(key);
    const final = finalOf(status, n);
    if (seen.isNew) {
      const reused = `the id ${shortJson(toolCallId)} of a finished call for a new one`;
      judge("DRA-TOOL-03", call?.final && reused, call?.final && [call.n, call.final.n, n]);
      const isTwice = call !== undefined && !call.final;
      const twice = `a second tool_call with the id ${shortJson(toolCallId)}`;
      judge("DRA-TOOL-02", isTwice && twice, isTwice ? [call.n, n] : undefined);
      known.set(key, { n, final });
      return;
    }
    const early = `an update or a permission request before the tool_call ${shortJson(toolCallId)}`;
    judge("DRA-TOOL-02", !call && early);
    if (!call) return void known.set(key, { n, final });
    if (typeof status !== "string") return;
    const isChanged = call.final !== undefined && call.final.status !== status;
    const change = `the call is ${call.final?.status} and becomes ${status}`;
    judge("DRA-TOOL-04", isChanged && change, [call.final?.n ?? n, n]);
    call.final ??= final;
  };
});

/** A load replays the calls of a session, so everything known about them is forgotten. */
function forgetLoaded({ from, message }: JudgedFrame, known: Map<string, SeenCall>): void {
  if (from !== "client" || message.kind !== "request" || message.method !== "session/load") return;
  const prefix = `${JSON.stringify(paramsOf(message)["sessionId"])} `;
  for (const key of known.keys()) if (key.startsWith(prefix)) known.delete(key);
}

const paths = rule("agent", ["DRA-TOOL-07"], () => (frame, judge) => {
  const { call } = toolCallIn(frame) ?? {};
  if (!call) return;
  const diffs = objectsField(call, "content").filter(({ type }) => type === "diff");
  const locations = objectsField(call, "locations");
  const places = [...diffs, ...locations];
  if (places.length === 0) return;
  const relative = places.find(({ path }) => !isAbsolutePath(path));
  const badLine = locations.find(({ line }) => typeof line === "number" && line < 1);
  const path = relative && `the path ${shortJson(relative["path"])} is not absolute`;
  judge("DRA-TOOL-07", path ?? (badLine && `line ${shortJson(badLine["line"])} is below 1`));
});

const shownTerminals = rule("agent", ["DRA-TOOL-09"], ({ connection }) => {
  const open = new Set<unknown>();
  // Clients keep showing a released terminal, and an update replaces all content of its call, so a
  // call that showed the terminal in time may name it again.
  const shown = new Set<string>();
  return (frame, judge) => {
    const { message } = frame;
    if (message.kind === "result" && connection.answered?.method === "terminal/create")
      open.add(asObject(message.result)["terminalId"]);
    const released = requestParamsIn("terminal/release", frame);
    if (released) open.delete(released["terminalId"]);
    const { call } = toolCallIn(frame) ?? {};
    const isReplay = connection.open("client").some(({ method }) => method === "session/load");
    if (!call || isReplay) return;
    for (const { type, terminalId } of objectsField(call, "content")) {
      if (type !== "terminal") continue;
      const key = callKey(terminalId, call["toolCallId"]);
      if (open.has(terminalId)) shown.add(key);
      const unknown = `the terminal ${shortJson(terminalId)}, which is not open`;
      judge("DRA-TOOL-09", !shown.has(key) && unknown);
    }
  };
});

const files = rule("agent", ["DRA-FS-01"], ({ connection }) => ({ from, message }, judge) => {
  if (from === "agent" && message.kind === "request" && message.method.startsWith("fs/"))
    judge("DRA-FS-01", fileProblem(paramsOf(message), connection));
});

function fileProblem(
  { path, sessionId, line }: JsonObject,
  { sessions }: Connection,
): string | undefined {
  if (!isAbsolutePath(path)) return `the path ${shortJson(path)} is not absolute`;
  if (typeof sessionId !== "string" || !sessions.has(sessionId))
    return `the session ${shortJson(sessionId)} is not one of this connection`;
  return typeof line === "number" && line < 1 ? `line ${line} is below 1` : undefined;
}

const terminals = rule("agent", ["DRA-TERM-02"], () => (frame, judge) => {
  const params = requestParamsIn("terminal/create", frame);
  if (!params) return;
  const { cwd = null, env = null } = params;
  const isRelative = cwd !== null && !isAbsolutePath(cwd);
  const folder = isRelative ? `the cwd ${shortJson(cwd)} is not absolute` : undefined;
  const isList = env === null || Array.isArray(env);
  judge("DRA-TERM-02", folder ?? (!isList && `env ${shortJson(env)} is not an array`));
});

/** Names of fields that ask for a secret. */
const SECRET_NAME = /pass(?:word|phrase|code)|secret|api[-_ ]?key|credential|private[-_ ]?key/i;

const elicitations = rule(
  "agent",
  ["DRA-ELI-01", "DRA-ELI-03"],
  ({ connection }) =>
    (frame, judge) => {
      const params = requestParamsIn("elicitation/create", frame);
      if (!params) return;
      judge("DRA-ELI-01", elicitationProblem(params) ?? sharedId(params, connection, frame.n));
      if (params["mode"] !== "form") return;
      const secret = Object.keys(propertiesOf(params)).find((name) => SECRET_NAME.test(name));
      judge("DRA-ELI-03", secret !== undefined && `the field ${shortJson(secret)}`);
    },
);

function propertiesOf(params: JsonObject): JsonObject {
  return asObject(asObject(params["requestedSchema"])["properties"]);
}

function elicitationProblem(params: JsonObject): string | undefined {
  const { sessionId = null, requestId = null, mode } = params;
  if ((sessionId === null) === (requestId === null))
    return sessionId === null ? "no scope" : "both sessionId and requestId";
  if (typeof mode !== "string") return "no mode";
  const nested = Object.entries(propertiesOf(params)).find(
    ([, field]) => isJsonObject(field) && (field["type"] === "object" || "properties" in field),
  );
  return nested && `the nested field ${shortJson(nested[0])}`;
}

function sharedId(
  { elicitationId }: JsonObject,
  connection: Connection,
  n: number,
): string | undefined {
  if (elicitationId === undefined) return undefined;
  const other = connection
    .open("agent")
    .find((open) => open.n !== n && open.params["elicitationId"] === elicitationId);
  return other && `the id ${shortJson(elicitationId)}, which another open elicitation has`;
}

export const V1_RULES: readonly Rule[] = [
  scope,
  messageIds,
  usage,
  commands,
  calls,
  paths,
  shownTerminals,
  files,
  terminals,
  elicitations,
];
