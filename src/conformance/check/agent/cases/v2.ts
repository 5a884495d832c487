import { isAbsolute, join } from "node:path";
import {
  isJsonObject,
  isStringList,
  type JsonObject,
  objectsField,
  stringField,
  within,
} from "../../../../base/index.ts";
import { validatorOf } from "../../../index.ts";
import { hang, text } from "../../../scripted-model/index.ts";
import { Unmet } from "../../harness/errors.ts";
import { PERMISSION } from "../../harness/client-answers.ts";
import {
  type BegunRequest,
  type LinkFrame,
  type SubjectLink,
  type UpdateFrame,
  answersOf,
} from "../../harness/link.ts";
import {
  AUTH_REQUIRED,
  type CallReply,
  describeReply,
  isError,
  METHOD_NOT_FOUND,
  needResult,
  resultOf,
  shown,
} from "../../harness/reply.ts";
import { type AgentCheck, CHECKER_INFO, type OpenAgent } from "../agent-check.ts";
import { type AgentCase, agentCase, traffic } from "../case.ts";
import {
  type LinkSession,
  reopenSaved,
  type Reopened,
  SEED_WORDS,
  listedSessions,
} from "../saved-sessions.ts";
import { parsePrompts, promptFor, stepsFor } from "../stage/act.ts";
import { isAgentInfo, judgeMethods, methodsIn } from "./initialize.ts";
import { judgeUpdates } from "./prompt.ts";
import { judgeDeleted } from "./sessions.ts";
import { judgeValues, setOne } from "./settings.ts";

/** Opens an agent of version 2. Throws {@link Unmet} if it speaks another version. */
async function open2(check: AgentCheck): Promise<OpenAgent> {
  const agent = await check.open({});
  if (agent.initialized["protocolVersion"] === 2) return agent;
  throw new Unmet("the agent does not speak version 2");
}

const versions = agentCase("v2/initialize", async (check) => {
  const link = await check.start();
  const reply = await check.initialize(link);
  const { protocolVersion: version, info, capabilities } = resultOf(reply);
  check.judge("ACP-INIT-201", version === 2 || version === 1, "asked for 2", reply);
  const older = await check.start();
  const params = { protocolVersion: 1, clientCapabilities: {}, clientInfo: CHECKER_INFO };
  const old = await older.request("initialize", params, { isInvalid: true });
  check.judge("ACP-INIT-202", old.kind === "result", "asked for 1", old);
  if (version !== 2) {
    const reason = "the agent does not speak version 2";
    for (const id of ["ACP-INIT-203", "ACP-INIT-204", "ACP-EXT-202"]) check.skip(id, reason);
    return;
  }
  check.judge("ACP-INIT-203", isAgentInfo(info), `info ${shown(info)}`, reply.frames);
  const scalar = scalarIn(capabilities, "capabilities");
  check.judge("ACP-INIT-204", scalar === undefined, scalar ?? "objects only", reply.frames);
  const undeclared = validatorOf("v2 unstable")
    .faults("AgentCapabilities", capabilities ?? {})
    .find(({ kind }) => kind === "undeclared");
  const words = undeclared ? `the field ${undeclared.path}` : "declared fields only";
  check.judge("ACP-EXT-202", !undeclared, words, reply.frames);
});

/** A capability that is neither an object nor null. */
function scalarIn(value: unknown, path: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value)) return `${path} is ${shown(value)}`;
  for (const [key, part] of Object.entries(value)) {
    const found = key === "_meta" ? undefined : scalarIn(part, `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

const authentication = agentCase("v2/authentication", async (check) => {
  const link = await check.start();
  const reply = await check.initialize(link);
  const methods = judgeMethods(check, ["ACP-AUTH-201", "ACP-AUTH-202"], reply);
  const types = methods.map(({ type }) => type);
  check.judge("ACP-AUTH-206", types.every(isKnownType), `types ${shown(types)}`, reply.frames);
  const session = await link.request("session/new", { cwd: await check.workspace() });
  if (methods.length > 0) check.skip("ACP-AUTH-205", "the agent offers authentication methods");
  else check.judge("ACP-AUTH-205", !isError(session, AUTH_REQUIRED), session);
  const other = await check.start();
  const withTerminals = await check.initialize(other, { auth: { terminal: {} } });
  const terminal = methodsIn(withTerminals).filter(({ type }) => type === "terminal");
  if (terminal.length === 0) check.skip("ACP-AUTH-207", "the agent offers no terminal method");
  for (const { args = null, env = null } of terminal) {
    const names = Array.isArray(env) ? env.filter(isJsonObject).map(({ name }) => name) : [];
    const isList = env === null || (Array.isArray(env) && new Set(names).size === env.length);
    const isKept = (args === null || isStringList(args)) && isList;
    check.judge("ACP-AUTH-207", isKept, shown({ args, env }), withTerminals.frames);
  }
});

function isKnownType(type: unknown): boolean {
  return (
    type === "agent" || type === "terminal" || (typeof type === "string" && type.startsWith("_"))
  );
}

const login = agentCase("v2/login", async (check) => {
  const methodId = check.needAuthMethod();
  const link = await check.start();
  await check.initialize(link);
  const reply = await link.request("auth/login", { methodId });
  const session = await link.request("session/new", { cwd: await check.workspace() });
  const isKept = reply.kind === "result" && !isError(session, AUTH_REQUIRED);
  check.judge("ACP-AUTH-204", isKept, "auth/login, and session/new", reply, session);
  if (!check.run.optIn.has("logout")) return;
  const logout = await link.request("auth/logout", {});
  check.judge("ACP-AUTH-203", logout.kind === "result", logout);
});

/** Judges the form of options: an id, a name, and values that fit the type. */
function judgeOptions(
  check: AgentCheck,
  id: string,
  options: readonly unknown[],
  frame: Parameters<AgentCheck["judge"]>[2],
): void {
  for (const entry of options) {
    const option = isJsonObject(entry) ? entry : {};
    const { configId, name, type, currentValue } = option;
    const isNamed = typeof configId === "string" && configId !== "" && typeof name === "string";
    const isFitting =
      type === "select"
        ? typeof currentValue === "string" && Array.isArray(option["options"])
        : type !== "boolean" || typeof currentValue === "boolean";
    check.judge(id, isNamed && isFitting, `the option ${shown(option)}`, frame);
  }
}

const options = agentCase("v2/options", async (check) => {
  const { link } = await open2(check);
  const session = await check.newSession(link);
  const all = objectsField(session, "configOptions");
  judgeOptions(check, "ACP-CONFIG-201", all, link.frames.at(-1));
  judgeValues(check, "ACP-CONFIG-204", link, all);
  const sessionId = String(session["sessionId"]);
  const change = await setOne(check, "ACP-CONFIG-202", link, sessionId, all, { type: "id" });
  if (change?.reply.kind === "result") {
    const words = `${shown(change.id)} is ${shown(change.now)}, set to ${shown(change.value)}`;
    const isSet = change.now === change.value;
    check.judge("ACP-CONFIG-205", isSet, words, change.reply.frames);
  }
  await link.barrier();
});

const SERVERS: readonly (readonly [id: string, server: JsonObject])[] = [
  ["ACP-MCP-201", { type: "stdio", name: "probe", command: "/bin/false", args: [], env: [] }],
  ["ACP-MCP-202", { type: "http", name: "probe", url: "http://127.0.0.1:9/mcp", headers: [] }],
];

const servers = agentCase("v2/mcp", async (check) => {
  for (const [id, server] of SERVERS) {
    const { link } = await open2(check);
    const params = { cwd: await check.workspace(), mcpServers: [server] };
    check.pass(id, await link.request("session/new", params));
  }
});

const REQUEST = { jsonrpc: "2.0", method: "_dragoman/batch", params: {} };

/** Arrays, each with the requirement that records the reply. The sources do not agree about them. */
const BATCHES: readonly { readonly ids: readonly string[]; readonly batch: readonly unknown[] }[] =
  [
    { ids: ["ACP-BATCH-201"], batch: [] },
    { ids: ["ACP-BATCH-202"], batch: [REQUEST, REQUEST] },
    { ids: ["ACP-BATCH-203"], batch: [7, REQUEST] },
    {
      ids: ["ACP-BATCH-204", "ACP-BATCH-205"],
      batch: [REQUEST, { jsonrpc: "2.0", method: "_dragoman/other", params: {} }],
    },
  ];

/** The lines that came after a position, except the answer to the barrier. */
async function repliesAfter(link: SubjectLink, after: number): Promise<string> {
  const isAlive = await link.barrier();
  const lines = link.received(after).filter(({ message }) => {
    const isAnswer = message.kind === "result" || message.kind === "error";
    return message.kind === "none" || (isAnswer && message.id === null);
  });
  const words = lines.length === 0 ? "no reply" : lines.map(({ value }) => shown(value)).join(", ");
  return isAlive ? words : `${words}; the agent ${link.end?.how ?? "answers nothing anymore"}`;
}

const batches = agentCase("v2/batches", async (check) => {
  for (const { ids, batch } of BATCHES) {
    const { link } = await open2(check);
    const { after, frames } = await link.sendRaw(`${JSON.stringify(batch)}\n`);
    const words = await repliesAfter(link, after);
    for (const id of ids) check.pass(id, words, frames);
  }
});

const extensions = agentCase("v2/extensions", async (check) => {
  const { link } = await open2(check);
  const frame = link.notify("_dragoman/notice", {}, true);
  const words = await repliesAfter(link, frame.n);
  check.judge("ACP-EXT-201", words === "no reply", words, frame);
  if (link.end) return;
  const other = link.notify("$/dragoman", {}, true);
  check.pass("ACP-EXT-203", await repliesAfter(link, other.n), other);
});

async function session2(check: AgentCheck): Promise<LinkSession> {
  const { link } = await open2(check);
  const cwd = await check.workspace();
  const reply = await link.request("session/new", { cwd });
  const sessionId = stringField(needResult(reply, "session/new failed"), "sessionId");
  if (sessionId === undefined) throw new Unmet(`session/new failed: ${describeReply(reply)}`);
  return { link, sessionId, cwd };
}

/** The state update in a frame of a session; undefined for other frames. */
function stateIn(link: SubjectLink, sessionId: string, { n }: LinkFrame): JsonObject | undefined {
  return link.updates(sessionId, n - 1).find((one) => one.n === n && isState(one))?.update;
}

function isState({ update }: UpdateFrame): boolean {
  return update["sessionUpdate"] === "state_update";
}

function isSpeech({ update }: UpdateFrame): boolean {
  return String(update["sessionUpdate"]).startsWith("agent_");
}

interface Idle {
  readonly frame: LinkFrame;
  readonly reason: unknown;
}

/** Waits until a session is idle, in frames after `after`. */
async function untilIdle(
  check: AgentCheck,
  { link, sessionId }: LinkSession,
  after: number,
): Promise<Idle | undefined> {
  const frame = await link.until((one) => stateIn(link, sessionId, one)?.["state"] === "idle", {
    after,
    limitMs: check.pace.turnMs,
  });
  return frame && { frame, reason: stateIn(link, sessionId, frame)?.["stopReason"] };
}

interface Turn2 {
  readonly reply: CallReply;
  readonly n: number;
  readonly messageId: string | undefined;
  readonly idle: Idle | undefined;
}

function beginPrompt(
  check: AgentCheck,
  { link, sessionId }: LinkSession,
  words: string,
): BegunRequest {
  const prompt = [{ type: "text", text: words }];
  const limitMs = check.pace.turnMs;
  return link.begin("session/prompt", { sessionId, prompt }, { limitMs });
}

async function turn2(check: AgentCheck, session: LinkSession, words: string): Promise<Turn2> {
  const { n, reply } = beginPrompt(check, session, words);
  const receipt = await reply;
  const messageId = stringField(resultOf(receipt), "messageId") || undefined;
  const idle = receipt.kind === "result" ? await untilIdle(check, session, n) : undefined;
  return { reply: receipt, n, messageId, idle };
}

type Seeded2 = LinkSession & { readonly turn: Turn2 };

async function seed2(check: AgentCheck): Promise<Seeded2> {
  const session = await session2(check);
  const turn = await turn2(check, session, SEED_WORDS);
  needResult(turn.reply, "no prompt works");
  return { ...session, turn };
}

const turns = agentCase("v2/turn", async (check) => {
  const session = await seed2(check);
  const { link, sessionId, turn } = session;
  const { messageId } = turn;
  check.judge("ACP-PROMPT-201", messageId !== undefined, turn.reply);
  const hasRun = link
    .updates(sessionId, turn.n)
    .some((one) => isState(one) && one.update["state"] === "running");
  const words = turn.idle ? "running, then idle" : "no idle before the limit of the turn";
  if (hasRun) check.judge("ACP-STATE-202", turn.idle !== undefined, words, turn.reply.frames);
  else check.untested("ACP-STATE-202", "the agent never reported that it runs");
  await link.barrier();
  judgeUpdates(check, "ACP-PROMPT-205", link, sessionId, turn.n);
  if (!turn.idle || messageId === undefined) return;
  const messages = userMessages(link.updates(sessionId, turn.n));
  judgeMessageId(check, "ACP-PROMPT-203", messages, messageId);
  const next = await turn2(check, session, "Hello again");
  if (next.messageId === undefined) return;
  const ids = `the receipts ${shown([messageId, next.messageId])}`;
  const frames = [turn.reply.frames, next.reply.frames];
  check.judge("ACP-PATCH-203", next.messageId !== messageId, ids, frames);
});

function userMessages(updates: readonly UpdateFrame[]): readonly UpdateFrame[] {
  return updates.filter(({ update }) =>
    /^user_message(?:_chunk)?$/.test(String(update["sessionUpdate"])),
  );
}

function judgeMessageId(
  check: AgentCheck,
  id: string,
  messages: readonly UpdateFrame[],
  messageId: string,
): void {
  const ids = messages.map(({ update }) => update["messageId"]);
  const words = `the receipt ${shown(messageId)}, messages with ${shown(ids)}`;
  check.judge(id, ids.includes(messageId), words, messages.slice(0, 2));
}

const opened = agentCase("v2/session-new", async (check) => {
  const { link } = await open2(check);
  for (const extra of [{}, { mcpServers: [] }]) {
    const reply = await link.request("session/new", { cwd: await check.workspace(), ...extra });
    if (isError(reply, AUTH_REQUIRED)) throw new Unmet("needs a sign-in", true);
    check.judge("ACP-SESSION-203", reply.kind === "result", `with ${shown(extra)}`, reply);
  }
});

const MESSAGE = /^(?:user|agent)_(?:message|thought)/;

async function resume(check: AgentCheck, params: JsonObject): Promise<Reopened<Seeded2>> {
  return reopenSaved(check, seed2, ({ link, sessionId, cwd }) =>
    link.request("session/resume", { sessionId, cwd, ...params }),
  );
}

function messagesOf({ link, sessionId, after }: Reopened<Seeded2>): readonly UpdateFrame[] {
  return link
    .updates(sessionId, after)
    .filter(({ update }) => MESSAGE.test(String(update["sessionUpdate"])));
}

const plain = agentCase("v2/resume", async (check) => {
  const resumed = await resume(check, {});
  const { reply } = resumed;
  if (reply.kind === "error" && reply.code !== METHOD_NOT_FOUND) {
    check.untested("ACP-RESUME-201", `no session can be resumed: ${describeReply(reply)}`);
    return;
  }
  check.judge("ACP-RESUME-201", reply.kind === "result", reply);
  if (reply.kind !== "result") return;
  const early = messagesOf(resumed).filter(({ n }) => n < reply.n);
  const words = `${early.length} messages before the response, without replayFrom`;
  check.judge("ACP-RESUME-203", early.length === 0, words, reply.frames, early.slice(0, 2));
  const options = resultOf(reply)["configOptions"];
  if (!Array.isArray(options)) check.untested("ACP-CONFIG-203", "the result has no options");
  else judgeOptions(check, "ACP-CONFIG-203", options, reply.frames);
});

const replayed = agentCase("v2/replay", async (check) => {
  const resumed = await resume(check, { replayFrom: { type: "start" } });
  const { reply, link, turn } = resumed;
  if (reply.kind !== "result") throw new Unmet(`session/resume failed: ${describeReply(reply)}`);
  await link.barrier();
  const messages = messagesOf(resumed);
  if (messages.length === 0) throw new Unmet("nothing was replayed");
  const late = messages.filter(({ n }) => n > reply.n);
  const words = `${messages.length - late.length} messages before the response, ${late.length} after it`;
  check.judge("ACP-RESUME-202", late.length === 0, words, reply.frames, late.slice(0, 2));
  const users = messages.filter(({ update }) =>
    String(update["sessionUpdate"]).startsWith("user_message"),
  );
  if (users.length > 0 && turn.messageId !== undefined)
    judgeMessageId(check, "ACP-RESUME-204", users, turn.messageId);
  const whole = new Set<unknown>();
  for (const message of messages) {
    const { messageId } = message.update;
    const kind = String(message.update["sessionUpdate"]);
    if (!kind.endsWith("_chunk")) whole.add(messageId);
    const isKept = whole.has(messageId);
    const first = isKept ? "messages before their chunks" : `a ${kind} comes first`;
    check.judge("ACP-RESUME-205", isKept, first, message);
  }
});

const listed = agentCase("v2/session-list", async (check) => {
  const session = await seed2(check);
  const { link, sessionId, cwd } = session;
  const reply = await link.request("session/list", { cwd });
  for (const { cwd: folder } of listedSessions(reply)) {
    const words = `a session with the cwd ${shown(folder)}`;
    check.judge("ACP-LIST-203", folder === cwd, words, reply.frames);
    const isFull = typeof folder === "string" && isAbsolute(folder);
    check.judge("ACP-LIST-204", isFull, words, reply.frames);
  }
  if (check.advertises("session.additionalDirectories")) {
    const additionalDirectories = [await check.workspace()];
    const params = { sessionId, cwd, additionalDirectories };
    const resumed = await link.request("session/resume", params);
    check.judge("ACP-ADDDIRS-202", resumed.kind === "result", resumed);
  }
  if (check.advertises("session.delete")) await judgeDeleted(check, "ACP-DELETE-202", session);
});

/** Begins a turn that does not end by itself soon. Returns its prompt. */
async function slowTurn(check: AgentCheck, session: LinkSession): Promise<BegunRequest> {
  const limitMs = check.pace.turnMs;
  if (check.run.usesModel) {
    const gate = hang();
    (await check.model()).push([text("I am working on it."), gate, text(" The end.")]);
    const begun = beginPrompt(check, session, "Please go on.");
    if (!(await within(gate.arrived, limitMs))) throw new Unmet("the agent did not call the model");
    return begun;
  }
  const { slow } = parsePrompts(check.run.prompts ?? {});
  if (slow === undefined) throw new Unmet('needs the prompt "slow"');
  const begun = beginPrompt(check, session, slow);
  const { link, sessionId } = session;
  const spoken = await link.until(() => link.updates(sessionId, begun.n).some(isSpeech), {
    after: begun.n,
    limitMs,
  });
  if (!spoken) throw new Unmet("the slow prompt showed nothing");
  return begun;
}

const KNOWN_REASONS = /^(?:_.*|cancelled|end_turn|max_tokens|max_turn_requests|refusal|error)$/;

const cancelled = agentCase("v2/cancel", async (check) => {
  for (const extra of [{}, { _meta: { traceparent: "none" } }]) await cancelOnce(check, extra);
});

async function cancelOnce(check: AgentCheck, extra: JsonObject): Promise<void> {
  const session = await session2(check);
  const { link, sessionId } = session;
  const prompt = await slowTurn(check, session);
  const started = performance.now();
  const cancel = link.notify("session/cancel", { sessionId, ...extra });
  const idle = await untilIdle(check, session, cancel.n);
  const ms = Math.round(performance.now() - started);
  const reason = idle?.reason;
  const words = idle ? `idle with the stop reason ${shown(reason)}` : "no idle before the limit";
  const seen = [words, cancel, idle?.frame];
  check.judge("ACP-CANCEL-201", reason === "cancelled", seen);
  check.judge("ACP-CANCEL-206", reason === "cancelled", `cancel with ${shown(extra)}`, seen);
  check.pass("ACP-CANCEL-204", `idle after ${ms} ms`);
  const isKnown = typeof reason === "string" && KNOWN_REASONS.test(reason);
  if (idle) check.judge("ACP-CANCEL-207", isKnown, seen);
  await link.barrier();
  const failure = answersOf(link, prompt).find(({ message }) => message.kind === "error");
  const isRight = !failure && reason !== "error";
  check.judge("ACP-CANCEL-203", isRight, failure ? "the prompt got an error" : seen, failure);
  const answers = link
    .received(cancel.n)
    .filter(({ message }) => "id" in message && message.id === null);
  const count = `${answers.length} responses to session/cancel`;
  check.judge("ACP-CANCEL-205", answers.length === 0, count, cancel, answers);
  if (!idle) return;
  const late = link.updates(sessionId, idle.frame.n).filter((one) => isSpeech(one) || isState(one));
  const after = `${late.length} messages or states after the idle`;
  check.judge("ACP-CANCEL-202", late.length === 0, after, idle.frame, late.slice(0, 2));
}

const closed = agentCase("v2/close", async (check) => {
  const session = await session2(check);
  const { link, sessionId } = session;
  const { n } = await slowTurn(check, session);
  const reply = await link.request("session/close", { sessionId });
  needResult(reply, "session/close failed");
  const idle = await untilIdle(check, session, n);
  const words = idle ? `idle with the stop reason ${shown(idle.reason)}` : "no idle";
  const isCancelled = idle?.reason === "cancelled";
  check.judge("ACP-CANCEL-208", isCancelled, words, reply.frames, idle?.frame);
});

/** A prompt that makes the agent ask for permission. */
async function askingWords(check: AgentCheck, { cwd }: LinkSession): Promise<string> {
  const act = { tool: "write", path: join(cwd, "asked.txt"), content: "asked" } as const;
  if (check.run.usesModel) {
    const steps = stepsFor(act, check.run.subject.recipe?.tools, () => {});
    (await check.model()).push(...steps, text("Done."));
    return "Please go on.";
  }
  const prompts = parsePrompts(check.run.prompts ?? {});
  const words = promptFor(act, prompts) ?? prompts.ask;
  if (words === undefined) throw new Unmet('needs the prompt "write" or "ask"');
  return words;
}

const outcomes = agentCase("v2/outcome", async (check) => {
  const session = await session2(check);
  const { link } = session;
  link.handle(PERMISSION, () => "hold");
  const { n } = beginPrompt(check, session, await askingWords(check, session));
  const limitMs = check.pace.turnMs;
  const request = await link.untilRequest(PERMISSION, { after: n, limitMs });
  if (!request) throw new Unmet("the agent never asked for permission");
  // Gives the agent the time to report that it waits.
  await link.barrier();
  await request.answer({ result: { outcome: { outcome: "_later" } } });
  const idle = await untilIdle(check, session, request.n);
  const words = link.end ? `the agent ${link.end.how}` : `idle ${idle ? "came" : "did not come"}`;
  const what = "after an unknown outcome";
  check.judge("ACP-ENUM-203", idle !== undefined && !link.end, what, words, request.frame);
});

export const V2_CASES: readonly AgentCase[] = [
  versions,
  authentication,
  login,
  traffic(options),
  servers,
  batches,
  extensions,
  traffic(turns),
  opened,
  plain,
  replayed,
  listed,
  cancelled,
  closed,
  traffic(outcomes),
];
