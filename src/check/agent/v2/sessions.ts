import { isAbsolute } from "node:path";
import { asObject, type JsonObject } from "../../../wire/index.ts";
import { Unmet } from "../../harness/errors.ts";
import { describeReply, METHOD_NOT_FOUND, type CallReply, shown } from "../../harness/reply.ts";
import { type AgentCheck, evidence } from "../agent-check.ts";
import { hasCapability } from "../capabilities.ts";
import type { AgentCase } from "../case.ts";
import { endPolitely, sessionsIn } from "../conversation.ts";
import { open2, seed2, type Session2, type Turn2 } from "./turns.ts";

const MESSAGE = /^(?:user|agent)_(?:message|thought)/;

const created: AgentCase = {
  name: "v2/session-new",
  ids: ["ACP-SESSION-203"],
  process: "fresh",
  needs: "none",
  run: async (check) => {
    const { link } = await open2(check);
    for (const extra of [{}, { mcpServers: [] }]) {
      const reply = await link.request("session/new", { cwd: await check.workspace(), ...extra });
      if (reply.kind === "error" && reply.code === -32000) throw new Unmet("needs a sign-in", true);
      check.judge(
        "ACP-SESSION-203",
        reply.kind === "result",
        `mcpServers ${shown(extra)}: accepted`,
        {
          expected: `session/new succeeds with ${shown(extra)}`,
          actual: describeReply(reply),
          frames: evidence(link, reply),
        },
      );
    }
  },
};

interface Resumed {
  readonly session: Session2;
  readonly turn: Turn2;
  readonly after: number;
  readonly reply: CallReply;
}

/** Finishes a turn and resumes its session: in a fresh process or, if that fails, in the same one. */
async function resume(check: AgentCheck, params: JsonObject): Promise<Resumed> {
  const { session, turn } = await seed2(check);
  await endPolitely(check, session.link);
  const { link } = await open2(check);
  const { sessionId, cwd } = session;
  const after = link.frames.length;
  const reply = await link.request("session/resume", { sessionId, cwd, ...params });
  if (reply.kind === "result") return { session: { ...session, link }, turn, after, reply };
  const same = await seed2(check);
  const before = same.session.link.frames.length;
  const second = await same.session.link.request("session/resume", {
    sessionId: same.session.sessionId,
    cwd: same.session.cwd,
    ...params,
  });
  return { ...same, after: before, reply: second };
}

/** The messages of a replay, with their positions. */
function messagesOf({
  session,
  after,
}: Resumed): readonly { readonly n: number; readonly update: JsonObject }[] {
  return session.link
    .updates(session.sessionId, after)
    .filter(({ update }) => MESSAGE.test(String(update["sessionUpdate"])));
}

const plain: AgentCase = {
  name: "v2/resume",
  ids: ["ACP-RESUME-201", "ACP-RESUME-203", "ACP-CONFIG-203"],
  process: "fresh",
  needs: "prompt",
  run: async (check) => {
    const resumed = await resume(check, {});
    const { reply, session } = resumed;
    const frames = evidence(session.link, reply);
    if (reply.kind === "error" && reply.code !== METHOD_NOT_FOUND) {
      check.untested("ACP-RESUME-201", `no session can be resumed: ${describeReply(reply)}`);
      return;
    }
    check.judge("ACP-RESUME-201", reply.kind === "result", "resumed", {
      expected: "session/resume succeeds",
      actual: describeReply(reply),
      frames,
    });
    if (reply.kind !== "result") return;
    const early = messagesOf(resumed).filter(({ n }) => n < reply.n);
    check.judge("ACP-RESUME-203", early.length === 0, "nothing before the response", {
      expected: "no message before the response, because replayFrom is omitted",
      actual: `${early.length} messages`,
      frames: [...frames, ...evidence(session.link, ...early.slice(0, 2).map(({ n }) => n))],
    });
    const options = asObject(reply.result)?.["configOptions"];
    if (!Array.isArray(options)) check.untested("ACP-CONFIG-203", "the result has no options");
    else judgeOptions(check, "ACP-CONFIG-203", options, frames);
  },
};

/** Judges the form of options: an id, a name, and values that fit the type. */
export function judgeOptions(
  check: AgentCheck,
  id: string,
  options: readonly unknown[],
  frames: ReturnType<typeof evidence>,
): void {
  for (const entry of options) {
    const option = asObject(entry) ?? {};
    const { configId, name, type, currentValue } = option;
    const isNamed = typeof configId === "string" && configId !== "" && typeof name === "string";
    const isFitting =
      type === "select"
        ? typeof currentValue === "string" && Array.isArray(option["options"])
        : type !== "boolean" || typeof currentValue === "boolean";
    check.judge(id, isNamed && isFitting, `${options.length} options`, {
      expected: "a configId, a name, and a value that fits the type",
      actual: shown(option),
      frames,
    });
  }
}

const replayed: AgentCase = {
  name: "v2/replay",
  ids: ["ACP-RESUME-202", "ACP-RESUME-204", "ACP-RESUME-205"],
  process: "fresh",
  needs: "prompt",
  run: async (check) => {
    const resumed = await resume(check, { replayFrom: { type: "start" } });
    const { reply, session, turn } = resumed;
    if (reply.kind !== "result") throw new Unmet(`session/resume failed: ${describeReply(reply)}`);
    await session.link.barrier();
    const messages = messagesOf(resumed);
    const late = messages.filter(({ n }) => n > reply.n);
    const words = `${messages.length - late.length} messages before the response, ${late.length} after it`;
    if (messages.length === 0) throw new Unmet("nothing was replayed");
    check.judge("ACP-RESUME-202", late.length === 0, words, {
      expected: "no message after the response",
      actual: words,
      frames: evidence(session.link, reply, ...late.slice(0, 2).map(({ n }) => n)),
    });
    const users = messages.filter(({ update }) =>
      String(update["sessionUpdate"]).startsWith("user_message"),
    );
    if (users.length > 0 && turn.messageId !== undefined) {
      const isSame = users.some(({ update }) => update["messageId"] === turn.messageId);
      check.judge("ACP-RESUME-204", isSame, "the id of the receipt", {
        expected: `a user message with the id ${turn.messageId}`,
        actual: `the ids ${shown(users.map(({ update }) => update["messageId"]))}`,
        frames: evidence(session.link, ...users.slice(0, 2).map(({ n }) => n)),
      });
    }
    judgeChunks(check, resumed, messages);
  },
};

function judgeChunks(
  check: AgentCheck,
  { session }: Resumed,
  messages: readonly { readonly n: number; readonly update: JsonObject }[],
): void {
  const whole = new Set<unknown>();
  for (const { n, update } of messages) {
    const kind = String(update["sessionUpdate"]);
    if (!kind.endsWith("_chunk")) whole.add(update["messageId"]);
    const isKept = !kind.endsWith("_chunk") || whole.has(update["messageId"]);
    check.judge("ACP-RESUME-205", isKept, `${messages.length} messages and chunks`, {
      expected: "the whole message before its chunks",
      actual: `a ${kind} first`,
      frames: evidence(session.link, n),
    });
  }
}

const listed: AgentCase = {
  name: "v2/session-list",
  ids: ["ACP-LIST-203", "ACP-LIST-204", "ACP-DELETE-202", "ACP-ADDDIRS-202"],
  process: "fresh",
  needs: "prompt",
  run: async (check) => {
    const { session } = await seed2(check);
    const { link, sessionId, cwd } = session;
    const reply = await link.request("session/list", { cwd });
    const sessions = sessionsIn(reply);
    const frames = evidence(link, reply);
    for (const entry of sessions) {
      const folder = entry["cwd"];
      check.judge("ACP-LIST-203", folder === cwd, `${sessions.length} sessions`, {
        expected: `the cwd ${cwd}`,
        actual: shown(folder),
        frames,
      });
      const isFull = typeof folder === "string" && isAbsolute(folder);
      check.judge("ACP-LIST-204", isFull, `${sessions.length} sessions`, {
        expected: "an absolute cwd",
        actual: shown(folder),
        frames,
      });
    }
    await judgeRoots(check, session);
    const isThere = (some: CallReply): boolean =>
      sessionsIn(some).some((entry) => entry["sessionId"] === sessionId);
    if (!isThere(reply) || !hasCapability(check.capabilities, "session.delete")) return;
    const gone = await link.request("session/delete", { sessionId });
    if (gone.kind !== "result") return;
    const after = await link.request("session/list", { cwd });
    check.judge("ACP-DELETE-202", !isThere(after), "listed before, and not after", {
      expected: "a deleted session is not listed",
      actual: "it is still listed",
      frames: [...evidence(link, gone), ...evidence(link, after)],
    });
  },
};

async function judgeRoots(check: AgentCheck, { link, sessionId, cwd }: Session2): Promise<void> {
  if (!hasCapability(check.capabilities, "session.additionalDirectories")) return;
  const additionalDirectories = [await check.workspace()];
  const reply = await link.request("session/resume", { sessionId, cwd, additionalDirectories });
  check.judge("ACP-ADDDIRS-202", reply.kind === "result", "accepted", {
    expected: "session/resume succeeds with an additional folder",
    actual: describeReply(reply),
    frames: evidence(link, reply),
  });
}

export const session2Cases: readonly AgentCase[] = [created, plain, replayed, listed];
