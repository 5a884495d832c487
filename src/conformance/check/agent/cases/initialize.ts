import {
  isJsonObject,
  isStringList,
  type JsonObject,
  objectsField,
  stringField,
} from "../../../../base/index.ts";
import {
  AUTH_REQUIRED,
  type CallReply,
  describeReply,
  isAnswered,
  isError,
  METHOD_NOT_FOUND,
  resultOf,
  shown,
} from "../../harness/reply.ts";
import { type AgentCheck, CHECKER_INFO } from "../agent-check.ts";
import { type AgentCase, agentCase, linkCase, sharedCase } from "../case.ts";

/** The highest version that the schema can express; no agent speaks it. */
const FUTURE_VERSION = 65535;

/** Negotiation of the version, each in a process of its own. */
const versions = agentCase("initialize/versions", async (check) => {
  const link = await check.start();
  const first = await check.initialize(link);
  const version = versionIn(first);
  check.judge("ACP-INIT-001", version !== undefined, first);
  if (first.kind !== "result") return;
  check.judge("ACP-INIT-002", version === 1, `asked for 1, answered ${version}`, first.frames);
  const info = resultOf(first)["agentInfo"];
  check.judge("ACP-INIT-004", isAgentInfo(info), `agentInfo ${shown(info)}`, first.frames);
  const future = await askFor(check, FUTURE_VERSION);
  const known = versionIn(future) ?? FUTURE_VERSION;
  const isKept = known !== FUTURE_VERSION && known >= (version ?? 1);
  check.judge("ACP-INIT-003", isKept, `asked for ${FUTURE_VERSION}`, future);
  const past = await askFor(check, 0);
  check.judge("DRA-INIT-01", (versionIn(past) ?? 0) > 0, "asked for 0", past);
});

export function isAgentInfo(info: unknown): boolean {
  const fields = isJsonObject(info) ? info : {};
  return Boolean(stringField(fields, "name")) && Boolean(stringField(fields, "version"));
}

async function askFor(check: AgentCheck, protocolVersion: number): Promise<CallReply> {
  const link = await check.start();
  // Agents that speak several versions choose by the version, and need the fields of each.
  return link.request("initialize", {
    protocolVersion,
    clientCapabilities: {},
    clientInfo: CHECKER_INFO,
    capabilities: {},
    info: CHECKER_INFO,
  });
}

function versionIn(reply: CallReply): number | undefined {
  const version = resultOf(reply)["protocolVersion"];
  return typeof version === "number" && Number.isInteger(version) ? version : undefined;
}

/** The forms of "nothing offered". */
const OFFERS: readonly {
  readonly name: string;
  readonly params: JsonObject;
  readonly isInvalid?: true;
}[] = [
  { name: "omitted", params: {} },
  { name: "null", params: { clientCapabilities: null }, isInvalid: true },
  { name: "{}", params: { clientCapabilities: {} } },
  {
    name: "unknown keys",
    params: { clientCapabilities: { "dragoman.unknown": { deep: [1] } } },
    isInvalid: true,
  },
];

const offers = agentCase("initialize/offers", async (check) => {
  for (const { name, params, isInvalid } of OFFERS) {
    const link = await check.start();
    const full = { protocolVersion: 1, clientInfo: CHECKER_INFO, ...params };
    const reply = await link.request("initialize", full, { isInvalid });
    if (name === "{}") check.judge("DRA-INIT-05", reply.kind === "result", reply);
    // The schema does not allow null, so an agent that checks its input may refuse it.
    const isKept = name === "null" ? isAnswered(reply) : reply.kind === "result";
    check.judge("DRA-INIT-02", isKept, `clientCapabilities ${name}`, reply);
    await link.transport.end();
  }
});

interface Gated {
  readonly method: string;
  readonly capability: string;
  /** Params that fit any session. */
  readonly params: (sessionId: string, cwd: string) => JsonObject;
  /** Set if it is only called where it is not advertised, because it changes something otherwise. */
  readonly isDestructive?: true;
}

const withFolder = (sessionId: string, cwd: string): JsonObject => ({
  sessionId,
  cwd,
  mcpServers: [],
});
const withSession = (sessionId: string): JsonObject => ({ sessionId });

const GATED: readonly Gated[] = [
  { method: "session/load", capability: "loadSession", params: withFolder },
  {
    method: "session/resume",
    capability: "sessionCapabilities.resume",
    params: (sessionId, cwd) => ({ sessionId, cwd }),
  },
  { method: "session/list", capability: "sessionCapabilities.list", params: () => ({}) },
  { method: "session/close", capability: "sessionCapabilities.close", params: withSession },
  { method: "session/delete", capability: "sessionCapabilities.delete", params: withSession },
  { method: "logout", capability: "auth.logout", params: () => ({}), isDestructive: true },
  {
    method: "session/fork",
    capability: "sessionCapabilities.fork",
    params: withFolder,
    isDestructive: true,
  },
];

const gates = sharedCase("initialize/gates", async (check, link) => {
  for (const { method, capability, params, isDestructive } of GATED) {
    const isOffered = check.advertises(capability);
    if (isOffered && isDestructive) continue;
    const cwd = await check.workspace();
    // The params must not make the difference, so the session exists.
    const sessionId = await check.session(link, cwd);
    const reply = await link.request(method, params(sessionId, cwd));
    const isUnknown = isError(reply, METHOD_NOT_FOUND);
    const what = `${method}, ${capability} is ${isOffered ? "" : "not "}advertised`;
    if (isOffered) check.judge("DRA-INIT-04", !isUnknown, what, reply);
    else check.judge("DRA-INIT-03", isUnknown, what, reply);
  }
});

const order = agentCase("initialize/order", async (check) => {
  const early = await check.start();
  const before = await check.requestSession(early);
  const { link } = await check.open({});
  const again = await check.initialize(link);
  const first = link.frames.find(({ direction }) => direction === "in");
  const ms = Math.round((first?.ms ?? 0) - (link.frames[0]?.ms ?? 0));
  check.pass(
    "DRA-INIT-06",
    `a request before initialize: ${describeReply(before)}; initialize again: ${again.kind}; first answer after ${ms} ms`,
    before.frames,
    again.frames,
  );
});

export function methodsIn(reply: CallReply): readonly JsonObject[] {
  return objectsField(resultOf(reply), "authMethods");
}

/** Judges that ids differ, and that no terminal method is offered. Version 2 has other names. */
export function judgeMethods(
  check: AgentCheck,
  [uniqueId, terminalId]: readonly [string, string],
  reply: CallReply,
): readonly JsonObject[] {
  const methods = methodsIn(reply);
  const ids = methods.map(({ id, methodId }) => methodId ?? id);
  const areUnique = new Set(ids).size === ids.length;
  check.judge(uniqueId, areUnique, `ids ${shown(ids)}`, reply.frames);
  const terminal = methods.find(({ type }) => type === "terminal");
  const words = terminal ? `the method ${shown(terminal)}` : `${methods.length} methods`;
  check.judge(terminalId, !terminal, words, reply.frames);
  return methods;
}

const offered = agentCase("authentication/methods", async (check) => {
  const link = await check.start();
  const reply = await check.initialize(link);
  const methods = judgeMethods(check, ["ACP-AUTH-001", "ACP-AUTH-002"], reply);
  const session = await check.requestSession(link);
  const isBlocked = isError(session, AUTH_REQUIRED);
  if (methods.length > 0) check.skip("ACP-AUTH-005", "the agent offers authentication methods");
  else check.judge("ACP-AUTH-005", !isBlocked, session);
  if (session.kind === "result")
    check.skip("DRA-AUTH-02", "the agent opens sessions without a login");
  else check.judge("DRA-AUTH-02", isBlocked, session);
  const unknown = await link.request("authenticate", { methodId: "dragoman-unknown" });
  check.judge("DRA-AUTH-01", unknown.kind === "error", unknown);
  await judgeTerminal(check);
});

async function judgeTerminal(check: AgentCheck): Promise<void> {
  const link = await check.start();
  const reply = await check.initialize(link, { auth: { terminal: true } });
  const terminal = methodsIn(reply).filter(({ type }) => type === "terminal");
  if (terminal.length === 0) check.skip("DRA-AUTH-03", "the agent offers no terminal method");
  for (const { id, args = null, env = null, command } of terminal) {
    const isMap = isJsonObject(env) && Object.values(env).every((one) => typeof one === "string");
    const isKept =
      command === undefined && (args === null || isStringList(args)) && (env === null || isMap);
    check.judge("DRA-AUTH-03", isKept, shown({ id, args, env, command }), reply.frames);
  }
}

const login = agentCase("authentication/login", async (check) => {
  const methodId = check.needAuthMethod();
  const link = await check.start();
  await check.initialize(link);
  const reply = await link.request("authenticate", { methodId });
  if (reply.kind !== "result") {
    check.untested("ACP-AUTH-003", `authenticate failed: ${describeReply(reply)}`);
    return;
  }
  const session = await check.requestSession(link);
  const isKept = !isError(session, AUTH_REQUIRED) && isJsonObject(reply.result);
  check.judge("ACP-AUTH-003", isKept, reply, session);
});

const logout = linkCase("authentication/logout", async (check, link) => {
  const before = await check.requestSession(link);
  const reply = await link.request("logout", {});
  check.judge("ACP-AUTH-004", reply.kind === "result", reply);
  if (before.kind !== "result" || reply.kind !== "result") return;
  const after = await check.requestSession(link);
  const isBlocked = isError(after, AUTH_REQUIRED);
  check.judge("DRA-AUTH-04", isBlocked, reply.frames, "session/new after logout", after);
});

export const initializeCases: readonly AgentCase[] = [versions, offers, gates, order];
export const authenticationCases: readonly AgentCase[] = [offered, login, logout];
