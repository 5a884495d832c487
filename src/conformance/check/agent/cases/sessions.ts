import { mkdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  asObject,
  isJsonObject,
  type JsonObject,
  objectsField,
  stringField,
} from "../../../../base/index.ts";
import { resultFaults } from "../../../index.ts";
import {
  type ReceivedMessage,
  type ReceivedToolResult,
  text,
} from "../../../scripted-model/index.ts";
import { NotApplicable, Unmet, ifUnmet } from "../../harness/errors.ts";
import { CANCELLED, PERMISSION } from "../../harness/client-answers.ts";
import type { SubjectLink, UpdateFrame } from "../../harness/link.ts";
import {
  AUTH_REQUIRED,
  type CallReply,
  describeReply,
  INVALID_PARAMS,
  isAnswered,
  isError,
  needResult,
  resultOf,
  shown,
} from "../../harness/reply.ts";
import type { AgentCheck } from "../agent-check.ts";
import { type AgentCase, agentCase, linkCase, sharedCase, stageCase, traffic } from "../case.ts";
import {
  beforeLoad,
  leaveSaved,
  type LinkSession,
  load,
  reopenSaved,
  listedSessions,
  untilSaved,
  SEED_WORDS,
} from "../saved-sessions.ts";
import { callsOf, exists, stopReasonOf } from "../stage/turn-facts.ts";
import { askingTurn, streamingTurn } from "../stage/moments.ts";
import { type EndedTurn, Stage, type StageSession } from "../stage/stage.ts";
import { valuesOf } from "./settings.ts";

function idIn(reply: CallReply): string | undefined {
  return stringField(resultOf(reply), "sessionId") || undefined;
}

const created = sharedCase("sessions/new", async (check, link) => {
  const cwd = await check.workspace();
  const first = await check.requestSession(link, cwd);
  // A login that is missing is not a fault of `session/new`.
  if (isError(first, AUTH_REQUIRED)) needResult(first, "session/new failed");
  const fault = faultOf("session/new", first);
  check.judge("ACP-SESSION-001", idIn(first) !== undefined && !fault, fault, first);
  const second = await check.requestSession(link, cwd);
  const ids = [idIn(first), idIn(second)];
  if (ids.includes(undefined)) return;
  const frames = [first.frames, second.frames];
  check.judge("ACP-SESSION-002", ids[0] !== ids[1], `ids ${shown(ids)}`, frames);
});

function faultOf(method: string, reply: CallReply): string | undefined {
  if (reply.kind !== "result") return undefined;
  const faults = resultFaults(method, reply.result, 1, true);
  const fault = faults.find(({ kind }) => kind === "invalid");
  return fault && `${fault.path} ${fault.message}`;
}

const folders = linkCase("sessions/folders", async (check, link) => {
  await check.session(link);
  const relative = await check.requestSession(link, "relative/folder");
  check.judge("DRA-SES-02", isError(relative, INVALID_PARAMS), "a relative cwd", relative);
  const cwd = join(await check.workspace(), "missing");
  const missing = await check.requestSession(link, cwd);
  const next = await link.request("_dragoman/next", {});
  const isKept = missing.kind === "error" && isAnswered(next);
  check.judge("DRA-SES-02", isKept, "a missing folder, and the next request", missing, next);
});

const MANY = 10;

const many = linkCase("sessions/at-once", async (check, link) => {
  const cwd = await check.workspace();
  await check.session(link, cwd);
  const limitMs = MANY * check.pace.answerMs;
  const started = Array.from({ length: MANY }, () =>
    link.begin("session/new", { cwd, mcpServers: [] }, { limitMs }),
  );
  const replies = await Promise.all(started.map(({ reply }) => reply));
  const ids = new Set(replies.map(idIn).filter((id) => id !== undefined));
  const other = replies.find((reply) => idIn(reply) === undefined);
  const frames = replies.slice(0, 2).map((reply) => reply.frames);
  check.judge("DRA-SES-03", ids.size === MANY, `${ids.size} different ids`, other, frames);
});

const prompted = linkCase("sessions/prompt", async (check, link) => {
  const sessionId = await check.session(link);
  const reply = await check.prompt(link, sessionId, "Hello");
  // If a later prompt fails in the same way, the session is not the reason.
  if (reply.kind === "error" && !/session/i.test(reply.message)) {
    const later = await check.prompt(link, sessionId, "Hello");
    if (isError(later, reply.code)) throw new Unmet(`no prompt works: ${describeReply(reply)}`);
  }
  check.judge("DRA-SES-04", reply.kind === "result", reply);
});

const roots = sharedCase("sessions/roots", async (check, link) => {
  const [cwd, extra] = [await check.workspace(), await check.workspace()];
  await check.session(link, cwd);
  const reply = await check.requestSession(link, cwd, { additionalDirectories: [extra] });
  check.judge("ACP-ADDDIRS-001", reply.kind === "result", reply);
});

const UNKNOWN = "dragoman-unknown-session";

const unknown = linkCase("sessions/unknown", async (check, link) => {
  const reply = await check.prompt(link, UNKNOWN, "Hello");
  const isOdd = reply.kind === "result";
  const note = isOdd ? "a success, although there is no such session" : undefined;
  check.pass("ACP-INFO-UNKNOWNSESSION-001", reply, note);
});

const loaded = agentCase("load/fresh-process", async (check) => {
  const { link, reply, sessionId, after, where } = await reopenSaved(check, seedSession, load);
  const fault =
    reply.kind === "result" && reply.result === null ? undefined : faultOf("session/load", reply);
  check.judge("ACP-LOAD-001", reply.kind === "result" && !fault, `loaded ${where}`, fault, reply);
  if (reply.kind !== "result") return;
  check.judge("ACP-LOAD-003", isJsonObject(reply.result), reply);
  await link.barrier();
  const late = link.updates(sessionId, reply.n).filter(isConversation);
  const early = link.updates(sessionId, after).filter(isConversation).length - late.length;
  if (early + late.length === 0) {
    check.untested("ACP-LOAD-002", "nothing was replayed");
    return;
  }
  const words = `${early} updates before the response, ${late.length} after it`;
  check.judge("ACP-LOAD-002", late.length === 0, words, reply.frames, late.slice(0, 2));
});

const unknownLoad = linkCase("load/unknown", async (check, link) => {
  const cwd = await check.workspace();
  const canResume = check.advertises("sessionCapabilities.resume");
  for (const method of canResume ? ["session/load", "session/resume"] : ["session/load"]) {
    const reply = await link.request(method, { sessionId: UNKNOWN, cwd, mcpServers: [] });
    check.judge("DRA-LOAD-03", reply.kind === "error", method, reply);
  }
});

/** Everything a replay shows. Ids and chunk boundaries may differ between replays. */
function wordsOf(link: SubjectLink, sessionId: string, after: number): string {
  const texts = ["user_message_chunk", "agent_message_chunk", "agent_thought_chunk"];
  const calls = link.updates(sessionId, after, "tool_call");
  return [
    ...texts.map((kind) => link.textOf(sessionId, kind, after)),
    ...calls.map(({ update }) => stringField(update, "title") ?? ""),
  ]
    .filter((words) => words !== "")
    .join(" | ");
}

const open = agentCase("load/while-open", async (check) => {
  const session = await seedSession(check);
  const { link, sessionId } = session;
  const found: string[] = [];
  for (const which of ["first", "second"]) {
    const after = link.frames.length;
    const reply = await load(session);
    if (reply.kind !== "result") {
      check.fail("DRA-LOAD-04", `the ${which} load of an open session`, reply);
      return;
    }
    await link.barrier();
    found.push(wordsOf(link, sessionId, after));
  }
  if (found.every((words) => words === "")) throw new Unmet("nothing was replayed");
  const [first, second] = found;
  const words = `${shown(first)} at first, ${shown(second)} the second time`;
  check.judge("DRA-LOAD-04", first === second, words);
});

/** Methods that must work before the first turn, their capabilities, and whether they take a folder. */
const EARLY: readonly (readonly [method: string, capability: string, hasFolder: boolean])[] = [
  ["session/load", "loadSession", true],
  ["session/resume", "sessionCapabilities.resume", true],
  ["session/close", "sessionCapabilities.close", false],
  ["session/delete", "sessionCapabilities.delete", false],
];

const early = linkCase("load/before-first-turn", async (check, link) => {
  const cwd = await check.workspace();
  for (const [method, capability, hasFolder] of EARLY) {
    if (!check.advertises(capability)) continue;
    const sessionId = await check.session(link, cwd);
    const params = hasFolder ? { sessionId, cwd, mcpServers: [] } : { sessionId };
    const reply = await link.request(method, params);
    check.judge("DRA-LOAD-05", reply.kind === "result", method, reply);
  }
});

const resumed = agentCase("load/resume", async (check) => {
  const { link, reply, sessionId, after, where } = await reopenSaved(check, seedSession, (seed) =>
    seed.link.request("session/resume", { sessionId: seed.sessionId, cwd: seed.cwd }),
  );
  check.judge("ACP-RESUME-001", reply.kind === "result", `resumed ${where}`, reply);
  if (reply.kind !== "result") return;
  const replayed = link.updates(sessionId, after).filter(isConversation);
  const before = replayed.filter(({ n }) => n < reply.n);
  const words = `${before.length} updates before the response`;
  check.judge("ACP-RESUME-002", before.length === 0, words, before.slice(0, 2), reply.frames);
});

const empty = sharedCase("session-list/empty", async (check, link) => {
  const all = await link.request("session/list", {});
  check.judge("ACP-LIST-001", Array.isArray(resultOf(all)["sessions"]), all);
  const none = await link.request("session/list", { cwd: await check.workspace() });
  const list = resultOf(none)["sessions"];
  check.judge("ACP-LIST-002", Array.isArray(list) && list.length === 0, none);
  const bad = await link.request("session/list", { cursor: "dragoman-invalid-cursor" });
  check.judge("DRA-LIST-03", bad.kind === "error", bad);
});

const MAX_PAGES = 100;
/** The date and the time of ISO 8601. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/;

const filled = agentCase("session-list/after-a-turn", async (check) => {
  const seed = await seedSession(check);
  await leaveSaved(check, seed.link);
  const { link } = await check.open({});
  const { first, sessions } = await pages(check, link, { cwd: seed.cwd });
  const own = sessions.find(({ sessionId }) => sessionId === seed.sessionId);
  const time = own && stringField(own, "updatedAt");
  const isTime = time === undefined || TIME.test(time);
  const words = own ? `listed, updatedAt ${shown(time)}` : `${sessions.length} others are listed`;
  check.judge("DRA-LIST-04", own !== undefined && isTime, words, first.frames);
  if (sessions.length === 0) return;
  const foreign = sessions.find(({ cwd }) => cwd !== seed.cwd);
  const folders = foreign
    ? `a session with the cwd ${shown(foreign["cwd"])}, not ${seed.cwd}`
    : `${sessions.length} sessions`;
  check.judge("DRA-LIST-01", !foreign, folders, first.frames);
});

/** Follows the cursors to the end, and judges the pages. */
async function pages(
  check: AgentCheck,
  link: SubjectLink,
  filter: JsonObject,
): Promise<{ readonly first: CallReply; readonly sessions: readonly JsonObject[] }> {
  const sessions: JsonObject[] = [];
  let reply = await link.request("session/list", filter);
  const first = reply;
  for (let page = 1; ; page++) {
    const cursor = needResult(reply, "session/list failed")["nextCursor"] ?? null;
    sessions.push(...listedSessions(reply));
    const ids = sessions.map(({ sessionId }) => sessionId);
    const isTwice = new Set(ids).size < ids.length;
    const isEndless = cursor !== null && page >= MAX_PAGES;
    if (cursor === null || isTwice || isEndless) {
      const words = isTwice ? "a session is on two pages" : `${page} pages`;
      if (sessions.length > 0)
        check.judge("DRA-LIST-02", !isTwice && !isEndless, words, reply.frames);
      return { first, sessions };
    }
    reply = await link.request("session/list", { ...filter, cursor });
  }
}

const closed = sharedCase("session-list/close", async (check, link) => {
  const sessionId = await check.session(link);
  const reply = await link.request("session/close", { sessionId });
  const isObject = reply.kind === "result" && isJsonObject(reply.result);
  check.judge("ACP-CLOSE-001", isObject, reply);
});

const deleted = sharedCase("session-list/delete", async (check, link) => {
  const sessionId = await check.session(link);
  const reply = await link.request("session/delete", { sessionId });
  check.judge("ACP-DELETE-001", reply.kind === "result", reply);
  for (const id of reply.kind === "result" ? [sessionId, UNKNOWN] : [UNKNOWN]) {
    const again = await link.request("session/delete", { sessionId: id });
    const what = id === UNKNOWN ? "an unknown session" : "a deleted session";
    check.judge("ACP-DELETE-002", again.kind === "result", what, again);
  }
});

const unlisted = agentCase("session-list/delete-after-a-turn", async (check) => {
  if (!check.advertises("sessionCapabilities.list"))
    throw new NotApplicable("the agent does not list sessions");
  await judgeDeleted(check, "DRA-DELETE-01", await seedSession(check));
});

export async function judgeDeleted(
  check: AgentCheck,
  id: string,
  { link, sessionId, cwd }: LinkSession,
): Promise<void> {
  const isListed = async (): Promise<readonly [boolean, CallReply]> => {
    const list = await link.request("session/list", { cwd });
    return [listedSessions(list).some((session) => session["sessionId"] === sessionId), list];
  };
  const [wasListed] = await isListed();
  if (!wasListed) throw new Unmet("the session is not listed");
  const reply = await link.request("session/delete", { sessionId });
  needResult(reply, "session/delete failed");
  const [isLeft, after] = await isListed();
  const words = `listed before, and ${isLeft ? "still" : "not"} after it was deleted`;
  check.judge(id, !isLeft, words, reply.frames, after.frames);
}

const forked = agentCase("session-list/fork", async (check) => {
  const { link, sessionId, cwd } = await seedSession(check);
  const reply = await link.request("session/fork", { sessionId, cwd, mcpServers: [] });
  const words: string[] = [];
  for (const id of [sessionId, idIn(reply)]) {
    if (id === undefined) continue;
    const next = await check.prompt(link, id, "Hello again");
    words.push(`${id === sessionId ? "parent" : "fork"}: ${next.kind}`);
  }
  check.pass("DRA-FORK-01", "session/fork", reply, words);
});

const WHERE = "where.txt";
/** Writes the folder it runs in into a file there. */
const COMMAND = `pwd -P > ${WHERE}`;

/** Opens an agent again, and a session of its predecessor there. */
async function reopened(
  check: AgentCheck,
  method: "session/load" | "session/resume",
  { id, cwd }: StageSession,
): Promise<{ readonly stage: Stage; readonly reply: CallReply }> {
  const stage = await Stage.open(check);
  const params = { sessionId: id, cwd, mcpServers: [] };
  return { stage, reply: await stage.link.request(method, params) };
}

const workingDirectory = agentCase("sessions/working-directory", async (check) => {
  const first = await Stage.open(check);
  const session = await first.session();
  await judgeFolder(first, session, "session/new");
  await first.leave();
  if (!check.advertises("loadSession")) return;
  // The process is started elsewhere.
  for (const cwd of [session.cwd, await check.workspace()]) {
    await beforeLoad(check);
    const isOwn = cwd === session.cwd;
    const what = isOwn ? "session/load" : "session/load, another one than before";
    const { stage, reply } = await reopened(check, "session/load", { ...session, cwd });
    if (reply.kind === "result") await judgeFolder(stage, { ...session, cwd }, what);
    // A session may be tied to its folder. An agent that ignores the new one must not accept it.
    else if (!isOwn) {
      const isRefused = reply.kind === "error";
      check.judge("DRA-SES-01", isRefused, "refuses another folder on session/load", reply);
    }
    await stage.leave();
  }
});

async function judgeFolder(stage: Stage, session: StageSession, method: string): Promise<void> {
  await rm(join(session.cwd, WHERE), { force: true });
  const turn = await stage.turn(session, { acts: [{ tool: "shell", command: COMMAND }] });
  const found = await readFile(join(session.cwd, WHERE), "utf8").catch(() => undefined);
  const isKept = found?.trim() === (await realpath(session.cwd));
  const where = found === undefined ? "left no file there" : `ran in ${found.trim()}`;
  const words = isKept ? `the folder of ${method}` : `${method} in ${session.cwd}: it ${where}`;
  stage.check.judge("DRA-SES-01", isKept, words, turn.end.frames);
}

const atWork = stageCase("sessions/two-at-work", async (check, stage) => {
  const first = await stage.session();
  const second = await stage.session();
  const held = await streamingTurn(stage, first);
  const acts = [{ tool: "shell", command: COMMAND }] as const;
  const ending = [text("The second session is done.")];
  const other = await stage.turn(second, { acts, ending, isAlongside: true });
  await stage.link.barrier();
  const isRunning = !stage.link
    .received(held.n)
    .some(({ message }) => message.kind === "result" && message.id === held.id);
  const where = (await readFile(join(second.cwd, WHERE), "utf8").catch(() => "")).trim();
  const end = await stage.finish(held);
  await stage.link.barrier();
  const said = [first, second].map(({ id }) => stage.link.textOf(id, "agent_message_chunk"));
  const isKept =
    other.end.kind === "result" &&
    isRunning &&
    end.kind === "result" &&
    where === (await realpath(second.cwd)) &&
    (!stage.model || areApart(said));
  const words = `first${isRunning ? "" : ", ended by the second"}: ${describeReply(end)}; second: ${describeReply(other.end)}, in ${shown(where)}; texts ${shown(said)}`;
  check.judge("DRA-SES-05", isKept, words, held.frame, other.end.frames, end.frames);
});

/** Whether each session has its own text, and none of the other's. */
function areApart([one = "", two = ""]: readonly string[]): boolean {
  const isFirst = one.includes("I am working on it. The end.") && !one.includes("second session");
  return isFirst && two.includes("The second session is done.") && !two.includes("I am working");
}

const whileAsked = stageCase("sessions/while-permission-is-requested", async (check, stage) => {
  const waiting = await askingTurn(stage, await stage.session());
  const replies = [await check.requestSession(stage.link)];
  if (check.advertises("sessionCapabilities.list"))
    replies.push(await stage.link.request("session/list", {}));
  // A refusal, such as "the agent is busy", blocks a client too.
  const isOpen = replies.every(({ kind }) => kind === "result");
  const { frame } = waiting.request;
  check.judge("DRA-SES-06", isOpen, "session/new and session/list", frame, replies);
  if (isOpen) {
    const { end } = await stage.turn(await stage.session());
    const isKept = stage.model ? stopReasonOf(end) === "end_turn" : isAnswered(end);
    check.judge("DRA-SES-06", isKept, "a turn of another session", frame, end);
  }
  await waiting.request.answer(CANCELLED);
  await stage.endOf(waiting);
});

const SECRET = "frobozz-outside";

const extraRoots = agentCase("sessions/additional-directories", async (check) => {
  const id = "DRA-DIR-01";
  const stage = await Stage.open(check, { capabilities: {} });
  stage.needModel();
  const extra = join((await check.place()).root, "extra");
  await mkdir(extra);
  await writeFile(join(extra, "note.txt"), `${SECRET}\n`);
  const session = await stage.session({}, { additionalDirectories: [extra] });
  const read = await readNote(stage, session, extra);
  check.judge(id, read.isKnown, "read a file in the additional directory", read.turn.end);
  const relative = { additionalDirectories: ["relative/folder"] };
  const reply = await check.requestSession(stage.link, undefined, relative);
  check.judgeAsWarning(id, reply.kind === "error", "a relative folder", reply);
  if (!check.advertises("loadSession")) return;
  const control = await readNote(stage, await stage.session(), extra);
  // An agent that reads everything has no roots to restore.
  if (control.isKnown) return;
  await stage.leave();
  const fresh = await Stage.open(check, { capabilities: {} });
  const { id: sessionId, cwd } = session;
  const loaded = await load({ link: fresh.link, sessionId, cwd });
  if (loaded.kind !== "result") return;
  const again = await readNote(fresh, session, extra);
  const words = `after a load without it, a file there is ${again.isKnown ? "still " : "not "}readable`;
  check.judge(id, !again.isKnown, words, loaded.frames, again.turn.end.frames);
});

async function readNote(
  stage: Stage,
  session: StageSession,
  folder: string,
): Promise<{ readonly isKnown: boolean; readonly turn: EndedTurn }> {
  const acts = [{ tool: "read", path: join(folder, "note.txt") }] as const;
  const turn = await stage.turn(session, { acts });
  const results = turn.calls.flatMap(({ messages }) => newToolResults(messages));
  return { isKnown: results.some((result) => result.text.includes(SECRET)), turn };
}

/**
 * The results of the model's last tool calls: a loaded conversation may hold older ones. An agent may
 * add messages of its own after them (Claude Agent 0.99 adds reminders).
 */
function newToolResults(messages: readonly ReceivedMessage[]): readonly ReceivedToolResult[] {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  return messages.slice(last + 1).flatMap(({ toolResults }) => toolResults);
}

const USER_WORD = "Please remember the word abracadabra.";
const AGENT_WORD = "I will remember the plugh.";

/** A session with one turn: the user's text, a tool call and the agent's text. Its process has ended. */
async function seed(
  check: AgentCheck,
): Promise<{ readonly session: StageSession; readonly toolCalls: number }> {
  const stage = await Stage.open(check);
  stage.needModel();
  const session = await stage.session({ "known.txt": "known\n" });
  const { end, n } = await stage.turn(session, {
    blocks: [{ type: "text", text: USER_WORD }],
    acts: [{ tool: "read", path: join(session.cwd, "known.txt") }],
    ending: [text(AGENT_WORD)],
  });
  needResult(end, "the first turn failed");
  const toolCalls = callsOf(stage.link, session.id, n).length;
  // Some agents answer a prompt before they save it.
  await untilSaved(check, AGENT_WORD, check.pace.turnMs);
  await stage.leave();
  await beforeLoad(check);
  return { session, toolCalls };
}

const conversation = agentCase("load/conversation", async (check) => {
  const { session, toolCalls } = await seed(check);
  const { stage, reply } = await reopened(check, "session/load", session);
  needResult(reply, "session/load failed");
  await stage.link.barrier();
  // The user's text, the tool calls and the agent's text, in this order, once each.
  const { link } = stage;
  const calls = callsOf(link, session.id);
  const updates = link.updates(session.id).map(({ update }) => update);
  const problem =
    countProblem("the user's text", link.textOf(session.id, "user_message_chunk"), USER_WORD) ??
    countProblem("the agent's text", link.textOf(session.id, "agent_message_chunk"), AGENT_WORD) ??
    (toolCalls > 0 && calls.length === 0 ? "no tool call" : undefined) ??
    orderProblem(updates);
  const words = problem ?? "user text, tool call, agent text";
  check.judge(
    "DRA-LOAD-01",
    problem === undefined,
    words,
    `${updates.length} updates`,
    reply.frames,
  );
  await judgeRemembered(stage, session, "DRA-LOAD-02");
});

function countProblem(what: string, said: string, words: string): string | undefined {
  const count = said.split(words).length - 1;
  if (count === 1) return undefined;
  return count === 0 ? `${what} is missing: ${shown(said)}` : `${what} came ${count} times`;
}

function orderProblem(updates: readonly JsonObject[]): string | undefined {
  const textOf = (update: JsonObject): string =>
    stringField(asObject(update["content"]), "text") ?? "";
  const userAt = updates.findIndex((update) => textOf(update).includes("abracadabra"));
  const agentAt = updates.findLastIndex((update) => textOf(update).includes("plugh"));
  const callAt = updates.findIndex(({ sessionUpdate }) => sessionUpdate === "tool_call");
  if (agentAt !== -1 && userAt > agentAt) return "the answer came before the prompt";
  if (agentAt !== -1 && callAt > agentAt) return "the tool call came after the answer";
  return undefined;
}

/** The next request to the model holds the earlier conversation. */
async function judgeRemembered(stage: Stage, session: StageSession, id: string): Promise<void> {
  const { end, calls } = await stage.turn(session, { ending: [text("Of course.")] });
  if (calls.length === 0)
    throw new Unmet(`the agent did not call the model: ${describeReply(end)}`);
  const bodies = calls.map(({ body }) => JSON.stringify(body)).join("\n");
  const lost = ["abracadabra", "plugh"].filter((word) => !bodies.includes(word));
  const words = `the next request to the model lacks ${lost.join(" and ") || "neither text"}`;
  stage.check.judge(id, lost.length === 0, words, end.frames);
}

const resume = agentCase("resume/context", async (check) => {
  const { session } = await seed(check);
  const { stage, reply } = await reopened(check, "session/resume", session);
  needResult(reply, "session/resume failed");
  await judgeRemembered(stage, session, "DRA-RESUME-01");
});

/** A value to set, and where it is found later. */
interface Setting {
  readonly what: string;
  readonly method: string;
  readonly params: JsonObject;
  /** The current value in the result of a load. */
  readonly current: (result: JsonObject) => unknown;
  readonly value: unknown;
}

const settings = agentCase("load/settings", async (check) => {
  const id = "DRA-LOAD-06";
  const first = await Stage.open(check);
  const session = await first.session();
  const wanted = settingsOf(session.result);
  if (wanted.length === 0) throw new Unmet("the agent has no modes or options to change");
  const kept: Setting[] = [];
  for (const setting of wanted) {
    const { method, params } = setting;
    const reply = await first.link.request(method, { sessionId: session.id, ...params });
    if (reply.kind === "result") kept.push(setting);
  }
  const used = (await first.turn(session)).calls[0]?.model;
  const wrote = await writingIn(first, session, "before.txt");
  await first.leave();
  await beforeLoad(check);
  const { stage, reply } = await reopened(check, "session/load", session);
  needResult(reply, "session/load failed");
  for (const { what, current, value } of kept) {
    const now = current(resultOf(reply));
    check.judge(id, now === value, `${what}, set to ${shown(value)}`, shown(now), reply.frames);
  }
  const turn = await stage.turn(session);
  const model = turn.calls[0]?.model;
  const words = `${shown(used)} before, ${shown(model)} after the load`;
  if (used !== undefined && model !== undefined)
    check.judge(id, used === model, "the model", words, turn.end.frames);
  // A file is written as before, so the mode is in effect.
  const writes = wrote && (await writingIn(stage, session, "after.txt"));
  if (writes)
    check.judge(
      id,
      wrote.words === writes.words,
      wrote.words,
      writes.words,
      writes.turn.end.frames,
    );
});

/** Makes the agent write a file, and tells the effects of the mode. Undefined if it cannot be made to. */
async function writingIn(
  stage: Stage,
  session: StageSession,
  name: string,
): Promise<{ readonly words: string; readonly turn: EndedTurn } | undefined> {
  const path = join(session.cwd, name);
  const act = { tool: "write", path, content: "written\n" } as const;
  const turn = await stage.act(session, act).catch(ifUnmet);
  if (turn?.end.kind !== "result") return undefined;
  const hasAsked = stage.requests(PERMISSION, turn.n).length > 0;
  const words = `a file is ${(await exists(path)) ? "written" : "not written"} ${hasAsked ? "after" : "without"} a permission request`;
  return { words, turn };
}

/** Another mode, and another value for the first option that is not the mode. */
function settingsOf(result: JsonObject): readonly Setting[] {
  const modes = asObject(result["modes"]);
  const mode = objectsField(modes, "availableModes").find(
    ({ id }) => id !== modes["currentModeId"],
  );
  const found: Setting[] = [];
  if (mode)
    found.push({
      what: "the mode",
      method: "session/set_mode",
      params: { modeId: mode["id"] },
      current: (loaded) => asObject(loaded["modes"])["currentModeId"],
      value: mode["id"],
    });
  const options = (from: JsonObject): readonly JsonObject[] => objectsField(from, "configOptions");
  const option = options(result).find(
    ({ category, type }) => category === "model" && type === "select",
  );
  const other = option && valuesOf(option).find((value) => value !== option["currentValue"]);
  if (option && other !== undefined)
    found.push({
      what: `the option ${shown(option["id"])}`,
      method: "session/set_config_option",
      params: { configId: option["id"], value: other },
      current: (loaded) => options(loaded).find(({ id }) => id === option["id"])?.["currentValue"],
      value: other,
    });
  return found;
}

export const workCases: readonly AgentCase[] = [workingDirectory, atWork, whileAsked, extraRoots];
export const historyCases: readonly AgentCase[] = [conversation, resume, settings];
export const sessionCases: readonly AgentCase[] = [
  created,
  folders,
  many,
  prompted,
  roots,
  unknown,
];
export const loadCases: readonly AgentCase[] = [traffic(loaded), unknownLoad, open, early, resumed];
export const listCases: readonly AgentCase[] = [empty, filled, closed, deleted, unlisted, forked];

/** Updates that are part of the conversation. Titles, commands and usage are not. */
const CONVERSATION: ReadonlySet<unknown> = new Set([
  "user_message_chunk",
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call",
  "tool_call_update",
]);

function isConversation({ update }: UpdateFrame): boolean {
  return CONVERSATION.has(update["sessionUpdate"]);
}

/** Opens a session and finishes one turn. Throws {@link Unmet} if no prompt works. */
async function seedSession(check: AgentCheck): Promise<LinkSession> {
  const { link } = await check.open({});
  const cwd = await check.workspace();
  const sessionId = await check.session(link, cwd);
  needResult(await check.prompt(link, sessionId, SEED_WORDS), "no prompt works");
  return { link, sessionId, cwd };
}
