import { isAbsolute } from "node:path";
import { asObject, type JsonObject, stringField } from "../../../wire/index.ts";
import { Unmet } from "../../harness/errors.ts";
import type { SubjectLink } from "../../harness/link.ts";
import { describeReply, type CallReply, shown } from "../../harness/reply.ts";
import { type AgentCheck, evidence } from "../agent-check.ts";
import { hasCapability } from "../capabilities.ts";
import type { AgentCase } from "../case.ts";
import { endPolitely, prepareLoad, seedSession, sessionsIn } from "../conversation.ts";

const empty: AgentCase = {
  name: "session-list/empty",
  ids: ["ACP-LIST-001", "ACP-LIST-002", "DRA-LIST-03"],
  process: "shared",
  needs: "none",
  run: async (check) => {
    const { link } = await check.open();
    const all = await link.request("session/list", {});
    const list = all.kind === "result" ? asObject(all.result)?.["sessions"] : undefined;
    check.judge("ACP-LIST-001", Array.isArray(list), `${sessionsIn(all).length} sessions`, {
      expected: "a result with an array of sessions",
      actual: describeReply(all),
      frames: evidence(link, all),
    });
    const none = await link.request("session/list", { cwd: await check.workspace() });
    const isEmpty = none.kind === "result" && isEmptyList(asObject(none.result)?.["sessions"]);
    check.judge("ACP-LIST-002", isEmpty, "[] for a new folder", {
      expected: "an empty array for a folder without sessions",
      actual: describeReply(none),
      frames: evidence(link, none),
    });
    const bad = await link.request("session/list", { cursor: "dragoman-invalid-cursor" });
    check.judge("DRA-LIST-03", bad.kind === "error", describeReply(bad), {
      expected: "an error for an invalid cursor",
      actual: describeReply(bad),
      frames: evidence(link, bad),
    });
  },
};

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

const MAX_PAGES = 100;
/** The date and the time of ISO 8601. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/;

const filled: AgentCase = {
  name: "session-list/after-a-turn",
  ids: ["DRA-LIST-01", "DRA-LIST-02", "DRA-LIST-04"],
  process: "fresh",
  needs: "prompt",
  run: async (check) => {
    const seed = await seedSession(check);
    await endPolitely(check, seed.link);
    await prepareLoad(check, seed.words);
    const { link } = await check.open({});
    const { reply, sessions } = await pages(check, link, { cwd: seed.cwd });
    const frames = evidence(link, reply);
    const own = sessions.find(({ sessionId }) => sessionId === seed.sessionId);
    const time = own && stringField(own, "updatedAt");
    const isTime = time === undefined || TIME.test(time);
    check.judge("DRA-LIST-04", own !== undefined && isTime, `listed, updated at ${time}`, {
      expected: "the session, listed by a fresh process, with a time in ISO 8601",
      actual: own ? `updatedAt ${shown(time)}` : `${sessions.length} others`,
      frames,
    });
    const foreign = sessions.find(
      ({ cwd }) => typeof cwd !== "string" || !isAbsolute(cwd) || cwd !== seed.cwd,
    );
    if (sessions.length > 0) {
      check.judge("DRA-LIST-01", !foreign, `${sessions.length} sessions`, {
        expected: `sessions of ${seed.cwd} only`,
        actual: `a session with the cwd ${shown(foreign?.["cwd"])}`,
        frames,
      });
    }
  },
};

/** Follows the cursors to the end, and judges the pages. */
async function pages(
  check: AgentCheck,
  link: SubjectLink,
  filter: JsonObject,
): Promise<{ readonly reply: CallReply; readonly sessions: readonly JsonObject[] }> {
  const sessions: JsonObject[] = [];
  let reply = await link.request("session/list", filter);
  const first = reply;
  for (let page = 1; ; page++) {
    if (reply.kind !== "result") throw new Unmet(`session/list failed: ${describeReply(reply)}`);
    sessions.push(...sessionsIn(reply));
    const cursor = asObject(reply.result)?.["nextCursor"] ?? null;
    const ids = sessions.map(({ sessionId }) => sessionId);
    const isTwice = new Set(ids).size < ids.length;
    const isEndless = page >= MAX_PAGES;
    if (cursor === null || isTwice || isEndless) {
      if (sessions.length > 0) {
        check.judge(
          "DRA-LIST-02",
          !isTwice && !isEndless,
          `${sessions.length} sessions on ${page} pages`,
          {
            expected: "pages that end, and no session twice",
            actual: isTwice ? "a session on two pages" : `more than ${MAX_PAGES} pages`,
            frames: evidence(link, reply),
          },
        );
      }
      return { reply: first, sessions };
    }
    reply = await link.request("session/list", { ...filter, cursor });
  }
}

const closed: AgentCase = {
  name: "session-list/close",
  ids: ["ACP-CLOSE-001"],
  process: "shared",
  needs: "none",
  run: async (check) => {
    const { link } = await check.open();
    const sessionId = await check.session(link);
    const reply = await link.request("session/close", { sessionId });
    const isKept = reply.kind === "result" && asObject(reply.result) !== undefined;
    check.judge("ACP-CLOSE-001", isKept, describeReply(reply), {
      expected: "an empty object",
      actual: describeReply(reply),
      frames: evidence(link, reply),
    });
  },
};

const deleted: AgentCase = {
  name: "session-list/delete",
  ids: ["ACP-DELETE-001", "ACP-DELETE-002"],
  process: "shared",
  needs: "none",
  run: async (check) => {
    const { link } = await check.open();
    const sessionId = await check.session(link);
    const reply = await link.request("session/delete", { sessionId });
    check.judge("ACP-DELETE-001", reply.kind === "result", "deleted", {
      expected: "session/delete succeeds",
      actual: describeReply(reply),
      frames: evidence(link, reply),
    });
    for (const id of reply.kind === "result"
      ? [sessionId, "dragoman-unknown"]
      : ["dragoman-unknown"]) {
      const again = await link.request("session/delete", { sessionId: id });
      check.judge("ACP-DELETE-002", again.kind === "result", `${id}: succeeds`, {
        expected: "session/delete succeeds for a session that does not exist",
        actual: describeReply(again),
        frames: evidence(link, again),
      });
    }
  },
};

const unlisted: AgentCase = {
  name: "session-list/delete-after-a-turn",
  ids: ["DRA-DELETE-01"],
  process: "fresh",
  needs: "prompt",
  run: async (check) => {
    if (!hasCapability(check.capabilities, "sessionCapabilities.list")) {
      check.skip("DRA-DELETE-01", "the agent does not list sessions");
      return;
    }
    const { link, sessionId, cwd } = await seedSession(check);
    const before = await link.request("session/list", { cwd });
    const isListed = (reply: CallReply): boolean =>
      sessionsIn(reply).some((session) => session["sessionId"] === sessionId);
    if (!isListed(before)) throw new Unmet("the session is not listed");
    const reply = await link.request("session/delete", { sessionId });
    if (reply.kind !== "result") throw new Unmet(`session/delete failed: ${describeReply(reply)}`);
    const after = await link.request("session/list", { cwd });
    check.judge("DRA-DELETE-01", !isListed(after), "listed before, and not after", {
      expected: "a deleted session is not listed",
      actual: "it is still listed",
      frames: [...evidence(link, reply), ...evidence(link, after)],
    });
  },
};

const forked: AgentCase = {
  name: "session-list/fork",
  ids: ["DRA-FORK-01"],
  process: "fresh",
  needs: "prompt",
  run: async (check) => {
    const { link, sessionId, cwd } = await seedSession(check);
    const reply = await link.request("session/fork", { sessionId, cwd, mcpServers: [] });
    const fork = reply.kind === "result" ? asObject(reply.result)?.["sessionId"] : undefined;
    const words: string[] = [`session/fork: ${describeReply(reply)}`];
    for (const id of [sessionId, fork]) {
      if (typeof id !== "string") continue;
      const next = await check.prompt(link, id, "Hello again");
      words.push(`${id === sessionId ? "parent" : "fork"}: ${next.kind}`);
    }
    check.pass("DRA-FORK-01", words.join("; "), evidence(link, reply));
  },
};

export const listCases: readonly AgentCase[] = [empty, filled, closed, deleted, unlisted, forked];
