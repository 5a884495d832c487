import { join } from "node:path";
import { isJsonObject, stringField } from "../../../wire/index.ts";
import { resultFaults } from "../../../conformance/index.ts";
import {
  describeReply,
  INVALID_PARAMS,
  isAnswered,
  type CallReply,
  shown,
} from "../../harness/reply.ts";
import { needResult } from "../../harness/reply.ts";
import { type AgentCheck, evidence } from "../agent-check.ts";
import type { AgentCase } from "../case.ts";

function idIn(reply: CallReply): string | undefined {
  if (reply.kind !== "result" || !isJsonObject(reply.result)) return undefined;
  return stringField(reply.result, "sessionId") || undefined;
}

const created: AgentCase = {
  name: "sessions/new",
  ids: ["ACP-SESSION-001", "ACP-SESSION-002"],
  process: "shared",
  needs: "none",
  run: async (check) => {
    const { link } = await check.open();
    const params = { cwd: await check.workspace(), mcpServers: [] };
    const first = await link.request("session/new", params);
    needSession(first);
    const [fault] =
      first.kind === "result" ? resultFaults("session/new", first.result, 1, true) : [];
    const isValid = idIn(first) !== undefined && fault?.kind !== "invalid";
    check.judge("ACP-SESSION-001", isValid, `id ${shown(idIn(first))}`, {
      expected: "a valid result with an id that is not empty",
      actual: fault ? `${fault.path} ${fault.message}` : describeReply(first),
      frames: evidence(link, first),
    });
    const second = await link.request("session/new", params);
    const ids = [idIn(first), idIn(second)];
    if (ids.includes(undefined)) return;
    check.judge("ACP-SESSION-002", ids[0] !== ids[1], `ids ${shown(ids)}`, {
      expected: "two different ids",
      actual: `ids ${shown(ids)}`,
      frames: [...evidence(link, first), ...evidence(link, second)],
    });
  },
};

/** A login that is missing is not a fault of `session/new`. */
function needSession(reply: CallReply): void {
  if (reply.kind === "error" && reply.code === -32000) needResult(reply, "session/new failed");
}

const folders: AgentCase = {
  name: "sessions/folders",
  ids: ["DRA-SES-02"],
  process: "fresh",
  needs: "none",
  run: async (check) => {
    const { link } = await check.open({});
    await check.session(link);
    const relative = await link.request("session/new", { cwd: "relative/folder", mcpServers: [] });
    const isRefused = relative.kind === "error" && relative.code === INVALID_PARAMS;
    check.judge("DRA-SES-02", isRefused, "a relative cwd: -32602", {
      expected: "error -32602 for a relative cwd",
      actual: describeReply(relative),
      frames: evidence(link, relative),
    });
    const cwd = join(await check.workspace(), "missing");
    const missing = await link.request("session/new", { cwd, mcpServers: [] });
    const next = await link.request("_dragoman/next", {});
    check.judge(
      "DRA-SES-02",
      missing.kind === "error" && isAnswered(next),
      `a missing folder: ${describeReply(missing)}`,
      {
        expected: "an error for a folder that does not exist, and an answer to the next request",
        actual: missing.kind === "error" ? describeReply(next) : describeReply(missing),
        frames: [...evidence(link, missing), ...evidence(link, next)],
      },
    );
  },
};

const MANY = 10;

const many: AgentCase = {
  name: "sessions/at-once",
  ids: ["DRA-SES-03"],
  process: "fresh",
  needs: "none",
  run: async (check) => {
    const { link } = await check.open({});
    const cwd = await check.workspace();
    await check.session(link, cwd);
    const limitMs = MANY * check.pace.answerMs;
    const started = Array.from({ length: MANY }, () =>
      link.begin("session/new", { cwd, mcpServers: [] }, { limitMs }),
    );
    const replies = await Promise.all(started.map(({ reply }) => reply));
    const ids = new Set(replies.map(idIn).filter((id) => id !== undefined));
    const other = replies.find((reply) => idIn(reply) === undefined);
    check.judge("DRA-SES-03", ids.size === MANY, `${ids.size} ids`, {
      expected: `${MANY} different ids`,
      actual: `${ids.size} different ids${other ? `; one of them: ${describeReply(other)}` : ""}`,
      frames: evidence(link, ...replies).slice(0, 4),
    });
  },
};

const prompted: AgentCase = {
  name: "sessions/prompt",
  ids: ["DRA-SES-04"],
  process: "fresh",
  needs: "prompt",
  run: async (check) => {
    const { link } = await check.open({});
    const sessionId = await check.session(link);
    const reply = await check.prompt(link, sessionId, "Hello");
    if (reply.kind === "result") {
      check.pass("DRA-SES-04", describeReply(reply), evidence(link, reply));
      return;
    }
    // If a later prompt fails in the same way, the session is not the reason.
    const later = await check.prompt(link, sessionId, "Hello");
    if (later.kind === "error" && reply.kind === "error" && later.code === reply.code) {
      if (!/session/i.test(reply.message)) {
        check.untested("DRA-SES-04", `no prompt works: ${describeReply(reply)}`);
        return;
      }
    }
    check.fail("DRA-SES-04", {
      expected: "a result for a prompt right after session/new",
      actual: describeReply(reply),
      frames: evidence(link, reply),
    });
  },
};

const roots: AgentCase = {
  name: "sessions/roots",
  ids: ["ACP-ADDDIRS-001"],
  process: "shared",
  needs: "none",
  run: async (check) => {
    const { link } = await check.open();
    const [cwd, extra] = [await check.workspace(), await check.workspace()];
    await check.session(link, cwd);
    const reply = await link.request("session/new", {
      cwd,
      mcpServers: [],
      additionalDirectories: [extra],
    });
    check.judge("ACP-ADDDIRS-001", reply.kind === "result", "accepted", {
      expected: "session/new succeeds with an additional folder",
      actual: describeReply(reply),
      frames: evidence(link, reply),
    });
  },
};

const unknown: AgentCase = {
  name: "sessions/unknown",
  ids: ["ACP-INFO-UNKNOWNSESSION-001"],
  process: "fresh",
  needs: "none",
  run: async (check: AgentCheck) => {
    const { link } = await check.open({});
    const reply = await check.prompt(link, "dragoman-unknown-session", "Hello");
    const note = reply.kind === "result" ? " (a success, although there is no such session)" : "";
    check.pass(
      "ACP-INFO-UNKNOWNSESSION-001",
      `${describeReply(reply)}${note}`,
      evidence(link, reply),
    );
  },
};

export const sessionCases: readonly AgentCase[] = [
  created,
  folders,
  many,
  prompted,
  roots,
  unknown,
];
