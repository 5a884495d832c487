import { join } from "node:path";
import { resultFaults } from "../../../index.ts";
import { isJsonObject, type JsonObject, stringField } from "../../../../base/index.ts";
import { NotApplicable, Unmet } from "../../harness/errors.ts";
import type { SubjectLink } from "../../harness/link.ts";
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
import { type AgentCase, agentCase, linkCase, sharedCase, traffic } from "../case.ts";
import {
  beforeLoad,
  isConversation,
  load,
  type LinkSession,
  reopen,
  seedSession,
  sessionsIn,
  untilSaved,
} from "../conversation.ts";

function idIn(reply: CallReply): string | undefined {
  return stringField(resultOf(reply), "sessionId") || undefined;
}

const created = sharedCase(
  "sessions/new",
  ["ACP-SESSION-001", "ACP-SESSION-002"],
  async (check, link) => {
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
  },
);

/** Why a result is not valid; undefined if it is. */
function faultOf(method: string, reply: CallReply): string | undefined {
  if (reply.kind !== "result") return undefined;
  const [fault] = resultFaults(method, reply.result, 1, true);
  return fault?.kind === "invalid" ? `${fault.path} ${fault.message}` : undefined;
}

const folders = linkCase("sessions/folders", ["DRA-SES-02"], async (check, link) => {
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

const many = linkCase("sessions/at-once", ["DRA-SES-03"], async (check, link) => {
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

const prompted = linkCase("sessions/prompt", ["DRA-SES-04"], async (check, link) => {
  const sessionId = await check.session(link);
  const reply = await check.prompt(link, sessionId, "Hello");
  // If a later prompt fails in the same way, the session is not the reason.
  if (reply.kind === "error" && !/session/i.test(reply.message)) {
    const later = await check.prompt(link, sessionId, "Hello");
    if (isError(later, reply.code)) throw new Unmet(`no prompt works: ${describeReply(reply)}`);
  }
  check.judge("DRA-SES-04", reply.kind === "result", reply);
});

const roots = sharedCase("sessions/roots", ["ACP-ADDDIRS-001"], async (check, link) => {
  const [cwd, extra] = [await check.workspace(), await check.workspace()];
  await check.session(link, cwd);
  const reply = await check.requestSession(link, cwd, { additionalDirectories: [extra] });
  check.judge("ACP-ADDDIRS-001", reply.kind === "result", reply);
});

const UNKNOWN = "dragoman-unknown-session";

const unknown = linkCase(
  "sessions/unknown",
  ["ACP-INFO-UNKNOWNSESSION-001"],
  async (check, link) => {
    const reply = await check.prompt(link, UNKNOWN, "Hello");
    const isOdd = reply.kind === "result";
    const note = isOdd ? "a success, although there is no such session" : undefined;
    check.pass("ACP-INFO-UNKNOWNSESSION-001", reply, note);
  },
);

const loaded = agentCase(
  "load/fresh-process",
  ["ACP-LOAD-001", "ACP-LOAD-002", "ACP-LOAD-003"],
  async (check) => {
    const { link, reply, sessionId, after, where } = await reopen(check, seedSession, load);
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
  },
);

const unknownLoad = linkCase("load/unknown", ["DRA-LOAD-03"], async (check, link) => {
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
  const calls = link
    .updates(sessionId, after)
    .filter(({ update }) => update["sessionUpdate"] === "tool_call");
  return [
    ...texts.map((kind) => link.textOf(sessionId, kind, after)),
    ...calls.map(({ update }) => stringField(update, "title") ?? ""),
  ]
    .filter((words) => words !== "")
    .join(" | ");
}

const open = agentCase("load/while-open", ["DRA-LOAD-04"], async (check) => {
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

const early = linkCase("load/before-first-turn", ["DRA-LOAD-05"], async (check, link) => {
  const cwd = await check.workspace();
  for (const [method, capability, hasFolder] of EARLY) {
    if (!check.advertises(capability)) continue;
    const sessionId = await check.session(link, cwd);
    const params = hasFolder ? { sessionId, cwd, mcpServers: [] } : { sessionId };
    const reply = await link.request(method, params);
    check.judge("DRA-LOAD-05", reply.kind === "result", method, reply);
  }
});

const resumed = agentCase("load/resume", ["ACP-RESUME-001", "ACP-RESUME-002"], async (check) => {
  const { link, reply, sessionId, after, where } = await reopen(check, seedSession, (seed) =>
    seed.link.request("session/resume", { sessionId: seed.sessionId, cwd: seed.cwd }),
  );
  check.judge("ACP-RESUME-001", reply.kind === "result", `resumed ${where}`, reply);
  if (reply.kind !== "result") return;
  const replayed = link.updates(sessionId, after).filter(isConversation);
  const before = replayed.filter(({ n }) => n < reply.n);
  const words = `${before.length} updates before the response`;
  check.judge("ACP-RESUME-002", before.length === 0, words, before.slice(0, 2), reply.frames);
});

const empty = sharedCase(
  "session-list/empty",
  ["ACP-LIST-001", "ACP-LIST-002", "DRA-LIST-03"],
  async (check, link) => {
    const all = await link.request("session/list", {});
    check.judge("ACP-LIST-001", Array.isArray(resultOf(all)["sessions"]), all);
    const none = await link.request("session/list", { cwd: await check.workspace() });
    const list = resultOf(none)["sessions"];
    check.judge("ACP-LIST-002", Array.isArray(list) && list.length === 0, none);
    const bad = await link.request("session/list", { cursor: "dragoman-invalid-cursor" });
    check.judge("DRA-LIST-03", bad.kind === "error", bad);
  },
);

const MAX_PAGES = 100;
/** The date and the time of ISO 8601. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/;

const filled = agentCase(
  "session-list/after-a-turn",
  ["DRA-LIST-01", "DRA-LIST-02", "DRA-LIST-04"],
  async (check) => {
    const seed = await seedSession(check);
    await check.leave(seed.link);
    await untilSaved(check, seed.words);
    await beforeLoad(check);
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
  },
);

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
    sessions.push(...sessionsIn(reply));
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

const closed = sharedCase("session-list/close", ["ACP-CLOSE-001"], async (check, link) => {
  const sessionId = await check.session(link);
  const reply = await link.request("session/close", { sessionId });
  const isObject = reply.kind === "result" && isJsonObject(reply.result);
  check.judge("ACP-CLOSE-001", isObject, reply);
});

const deleted = sharedCase(
  "session-list/delete",
  ["ACP-DELETE-001", "ACP-DELETE-002"],
  async (check, link) => {
    const sessionId = await check.session(link);
    const reply = await link.request("session/delete", { sessionId });
    check.judge("ACP-DELETE-001", reply.kind === "result", reply);
    for (const id of reply.kind === "result" ? [sessionId, UNKNOWN] : [UNKNOWN]) {
      const again = await link.request("session/delete", { sessionId: id });
      const what = id === UNKNOWN ? "an unknown session" : "a deleted session";
      check.judge("ACP-DELETE-002", again.kind === "result", what, again);
    }
  },
);

const unlisted = agentCase("session-list/delete-after-a-turn", ["DRA-DELETE-01"], async (check) => {
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
    return [sessionsIn(list).some((session) => session["sessionId"] === sessionId), list];
  };
  const [wasListed] = await isListed();
  if (!wasListed) throw new Unmet("the session is not listed");
  const reply = await link.request("session/delete", { sessionId });
  needResult(reply, "session/delete failed");
  const [isLeft, after] = await isListed();
  const words = `listed before, and ${isLeft ? "still" : "not"} after it was deleted`;
  check.judge(id, !isLeft, words, reply.frames, after.frames);
}

const forked = agentCase("session-list/fork", ["DRA-FORK-01"], async (check) => {
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
