import { mkdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ReceivedMessage, type ReceivedToolResult, text } from "../../../../model/index.ts";
import { describeReply, isAnswered, shown } from "../../../harness/reply.ts";
import { type AgentCheck, evidence } from "../../agent-check.ts";
import { hasCapability } from "../../capabilities.ts";
import type { AgentCase } from "../../case.ts";
import { CANCELLED } from "../client/permissions.ts";
import { chunksOf } from "../facts.ts";
import { modelCase } from "../model-case.ts";
import { askingTurn, streamingTurn } from "../moments.ts";
import { Stage, type StageSession, stopReasonOf } from "../stage.ts";

const WHERE = "where.txt";
/** Writes the folder it runs in into a file there. */
const COMMAND = `pwd -P > ${WHERE}`;

const workingDirectory: AgentCase = {
  name: "sessions/working-directory",
  ids: ["DRA-SES-01"],
  process: "fresh",
  needs: "model",
  run: async (check) => {
    const stage = await Stage.open(check);
    const session = await stage.session();
    await judgeFolder(check, stage, session, "session/new");
    await stage.leave();
    if (!hasCapability(check.capabilities, "loadSession")) return;
    await judgeLoad(check, session, session.cwd);
    await judgeLoad(check, session, await check.workspace());
  },
};

/** Loads the session with a folder in a process that was started elsewhere. */
async function judgeLoad(check: AgentCheck, session: StageSession, cwd: string): Promise<void> {
  await check.run.subject.recipe?.beforeLoad?.((await check.place()).home);
  const stage = await Stage.open(check);
  const params = { sessionId: session.id, cwd, mcpServers: [] };
  const loaded = await stage.link.request("session/load", params);
  const isOwn = cwd === session.cwd;
  if (loaded.kind === "result")
    await judgeFolder(
      check,
      stage,
      { ...session, cwd },
      isOwn ? "session/load" : "session/load, another one than before",
    );
  // A session may be tied to its folder. An agent that ignores the new one must not accept it.
  else if (!isOwn)
    check.judge("DRA-SES-01", loaded.kind === "error", "refuses another folder on session/load", {
      expected: "session/load with another cwd to use it, or to be refused",
      actual: describeReply(loaded),
      frames: evidence(stage.link, loaded),
    });
  await stage.leave();
}

async function judgeFolder(
  check: AgentCheck,
  stage: Stage,
  session: StageSession,
  method: string,
): Promise<void> {
  await rm(join(session.cwd, WHERE), { force: true });
  const turn = await stage.turn(session, { acts: [{ tool: "shell", command: COMMAND }] });
  const found = await readFile(join(session.cwd, WHERE), "utf8").catch(() => undefined);
  const isKept = found?.trim() === (await realpath(session.cwd));
  check.judge("DRA-SES-01", isKept, `the folder of ${method}`, {
    expected: `commands to run in the cwd of ${method}, ${session.cwd}`,
    actual: found === undefined ? "the command left no file there" : `it ran in ${found.trim()}`,
    frames: evidence(stage.link, turn.n, turn.end),
  });
}

const atWork: AgentCase = {
  name: "sessions/two-at-work",
  ids: ["DRA-SES-05"],
  process: "fresh",
  needs: "model",
  run: async (check) => {
    const stage = await Stage.open(check);
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
    const where = await readFile(join(second.cwd, WHERE), "utf8").catch(() => "");
    held.release();
    if (!stage.model) stage.cancel(first);
    const end = await stage.endOf(held);
    await stage.link.barrier();
    const mixed = stage.model ? mixture(stage, first, second) : undefined;
    const isKept =
      other.end.kind === "result" &&
      isRunning &&
      end.kind === "result" &&
      where.trim() === (await realpath(second.cwd)) &&
      mixed === undefined;
    check.judge("DRA-SES-05", isKept, "two sessions at work", {
      expected: "each session with its own updates, folder and end",
      actual:
        mixed ??
        `first: ${describeReply(end)}${isRunning ? "" : ", ended by the second"}; second: ${describeReply(other.end)}, in ${shown(where.trim())}`,
      frames: evidence(stage.link, held.n, other.n, other.end, end),
    });
  },
};

/** Text of one session in the updates of the other. */
function mixture(stage: Stage, first: StageSession, second: StageSession): string | undefined {
  const one = chunksOf(stage.link, first.id, "agent_message_chunk");
  const two = chunksOf(stage.link, second.id, "agent_message_chunk");
  if (two.includes("I am working") || !one.includes("I am working on it. The end."))
    return `the first session said ${shown(one)}, the second ${shown(two)}`;
  if (one.includes("second session") || !two.includes("The second session is done."))
    return `the first session said ${shown(one)}, the second ${shown(two)}`;
  return undefined;
}

const whileAsked: AgentCase = {
  name: "sessions/while-permission-is-requested",
  ids: ["DRA-SES-06"],
  process: "fresh",
  needs: "model",
  run: async (check) => {
    const stage = await Stage.open(check);
    const waiting = await askingTurn(stage, await stage.session());
    const params = { cwd: await check.workspace(), mcpServers: [] };
    const opened = await stage.link.request("session/new", params);
    const listed = hasCapability(check.capabilities, "sessionCapabilities.list")
      ? await stage.link.request("session/list", {})
      : opened;
    // A refusal, such as "the agent is busy", blocks a client too.
    const isOpen = opened.kind === "result" && listed.kind === "result";
    check.judge(
      "DRA-SES-06",
      isOpen,
      "session/new and session/list while permission is requested",
      {
        expected: "results of session/new and session/list while permission is requested",
        actual: `session/new: ${describeReply(opened)}; session/list: ${describeReply(listed)}`,
        frames: evidence(stage.link, waiting.request.n, opened, listed),
      },
    );
    if (isOpen) await judgeOtherTurn(check, stage, waiting.request.n);
    await waiting.request.answer(CANCELLED);
    await stage.endOf(waiting);
  },
};

async function judgeOtherTurn(check: AgentCheck, stage: Stage, at: number): Promise<void> {
  const other = await stage.session();
  const turn = await stage.turn(other);
  const isKept = stage.model ? stopReasonOf(turn.end) === "end_turn" : isAnswered(turn.end);
  check.judge("DRA-SES-06", isKept, "a turn of another session", {
    expected: "a turn of another session while permission is requested",
    actual: describeReply(turn.end),
    frames: evidence(stage.link, at, turn.n, turn.end),
  });
}

const SECRET = "frobozz-outside";

const extraRoots = modelCase({
  name: "sessions/additional-directories",
  ids: ["DRA-DIR-01"],
  process: "fresh",
  run: async (check) => {
    const stage = await Stage.open(check, { capabilities: {} });
    stage.needModel();
    const extra = join((await check.place()).root, "extra");
    await mkdir(extra);
    await writeFile(join(extra, "note.txt"), `${SECRET}\n`);
    const session = await stage.session({}, { additionalDirectories: [extra] });
    const read = await readNote(stage, session, extra);
    check.judge("DRA-DIR-01", read.isKnown, "read a file in the additional directory", {
      expected: "a file in an additional directory to be readable",
      actual: `the model got no text of it; ${describeReply(read.turn.end)}`,
      frames: evidence(stage.link, read.turn.n, read.turn.end),
    });
    await judgeRelativeRoot(check, stage);
    if (!hasCapability(check.capabilities, "loadSession")) return;
    const control = await readNote(stage, await stage.session(), extra);
    // An agent that reads everything has no roots to restore.
    if (control.isKnown) return;
    await stage.leave();
    const fresh = await Stage.open(check, { capabilities: {} });
    const params = { sessionId: session.id, cwd: session.cwd, mcpServers: [] };
    const loaded = await fresh.link.request("session/load", params);
    if (loaded.kind !== "result") return;
    const again = await readNote(fresh, session, extra);
    check.judge("DRA-DIR-01", !again.isKnown, "not restored by a load without it", {
      expected: "the additional directory not to be restored by a load that omits it",
      actual: "a file in it was still readable",
      frames: evidence(fresh.link, loaded, again.turn.n, again.turn.end),
    });
  },
});

async function judgeRelativeRoot(check: AgentCheck, { link }: Stage): Promise<void> {
  const cwd = await check.workspace();
  const params = { cwd, mcpServers: [], additionalDirectories: ["relative/folder"] };
  const reply = await link.request("session/new", params);
  check.judge("DRA-DIR-01", reply.kind === "error", "a relative folder is refused", {
    expected: "an error for an additional directory with a relative path",
    actual: describeReply(reply),
    frames: evidence(link, reply),
    level: "WARN",
  });
}

async function readNote(
  stage: Stage,
  session: StageSession,
  folder: string,
): Promise<{
  readonly isKnown: boolean;
  readonly turn: Awaited<ReturnType<Stage["turn"]>>;
}> {
  const model = stage.needModel();
  const before = model.calls.length;
  const acts = [{ tool: "read", path: join(folder, "note.txt") }] as const;
  const turn = await stage.turn(session, { acts });
  const results = model.calls.slice(before).flatMap(({ messages }) => newToolResults(messages));
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

export const sessionCases: readonly AgentCase[] = [
  workingDirectory,
  atWork,
  whileAsked,
  extraRoots,
];
