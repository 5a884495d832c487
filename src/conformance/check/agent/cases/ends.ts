import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isRunning, within } from "../../../../base/index.ts";
import { text } from "../../../scripted-model/index.ts";
import { Unmet, ifUnmet } from "../../harness/errors.ts";
import { CANCELLED, EVERYTHING } from "../../harness/client-answers.ts";
import { type SubjectLink, answersOf } from "../../harness/link.ts";
import {
  type CallReply,
  describeReply,
  isAnswered,
  needResult,
  shown,
} from "../../harness/reply.ts";
import type { ProcessControl } from "../../harness/transport.ts";
import type { AgentCheck } from "../agent-check.ts";
import { aboutProcess, type AgentCase, agentCase, bareStageCase, stageCase } from "../case.ts";
import { leaveSaved, load } from "../saved-sessions.ts";
import { turnUpdatesAfter, untilTrue, valueWithin, stopReasonOf } from "../stage/turn-facts.ts";
import { started, stdioProbe } from "../stage/mcp-probes.ts";
import {
  askingTurn,
  type HeldTurn,
  requestingTurn,
  runningTurn,
  streamingTurn,
} from "../stage/moments.ts";
import { Stage, type StageSession, type StageTurn } from "../stage/stage.ts";

const NEXT = "This is the next turn.";

const midStream = stageCase("cancel/mid-stream", async (check, stage) => {
  const session = await stage.session();
  const turn = await streamingTurn(stage, session);
  const cancel = stage.cancel(session);
  const end = await stage.endOf(turn);
  const isCancelled = stopReasonOf(end) === "cancelled";
  check.judge("ACP-CANCEL-001", isCancelled, turn.frame, cancel, end);
  turn.release();
  if (!isAnswered(end)) return;
  await stage.link.barrier();
  const late = turnUpdatesAfter(stage.link, session.id, end.n);
  const words = `${late.length} updates after the response`;
  check.judge("ACP-CANCEL-002", late.length === 0, words, end.frames, late);
  // The turn after a cancelled one is an ordinary one, and each prompt has one answer.
  const next = await stage.turn(session, { ending: [text(NEXT)] });
  await stage.link.barrier();
  const answers = [answersOf(stage.link, turn), answersOf(stage.link, next)];
  const said = stage.said(next);
  const isKept =
    next.end.kind === "result" &&
    stopReasonOf(next.end) !== "cancelled" &&
    (stage.model === undefined || said.includes(NEXT)) &&
    answers.every(({ length }) => length === 1);
  const counts = answers.map(({ length }) => length).join(" and ");
  const what = `the next turn, with the text ${shown(said)}`;
  check.judge("DRA-CAN-03", isKept, what, next.end, `${counts} answers`, turn.frame, answers);
});

interface Moment {
  readonly name: string;
  /** Brings a turn there and cancels it. */
  readonly cancel: (stage: Stage, session: StageSession) => Promise<HeldTurn>;
  /** Whether the turn may end by itself at this moment. */
  readonly mayEnd?: boolean;
}

const MOMENTS: readonly Moment[] = [
  {
    name: "right after the prompt",
    cancel: async (stage, session) => {
      const turn = stage.model
        ? stage.begin(session, { ending: [text("Too late.")] })
        : stage.beginPrompt(session, "slow");
      stage.cancel(session);
      return { ...turn, release: () => {} };
    },
  },
  {
    name: "mid-stream",
    cancel: async (stage, session) => {
      const turn = await streamingTurn(stage, session);
      stage.cancel(session);
      return turn;
    },
  },
  {
    name: "while permission is requested",
    cancel: async (stage, session) => {
      const turn = await askingTurn(stage, session);
      stage.cancel(session);
      await turn.request.answer(CANCELLED);
      return turn;
    },
  },
  {
    name: "while a request to the client is open",
    cancel: async (stage, session) => {
      const turn = await requestingTurn(stage, session);
      stage.cancel(session);
      await turn.request.answer({ error: { code: -32800, message: "request cancelled" } });
      return turn;
    },
  },
  {
    name: "just before the end",
    mayEnd: true,
    cancel: async (stage, session) => {
      const turn = await streamingTurn(stage, session);
      turn.release();
      stage.cancel(session);
      return turn;
    },
  },
];

const moments = stageCase("cancel/moments", async (check, stage) => {
  for (const { name, cancel, mayEnd = false } of MOMENTS) {
    const held = await cancel(stage, await stage.session()).catch(ifUnmet);
    if (held) {
      const end = await stage.endOf(held);
      judgeMoment(check, name, held, end, mayEnd);
      if (held.call && !mayEnd) {
        const how = await valueWithin(held.call.ended, check.pace.answerMs);
        const words = how ?? "the agent still waits for it";
        check.judge("DRA-CAN-02", how === "aborted", "the call of the model", words, held.frame);
      }
      held.release();
      if (!isAnswered(end)) return;
    }
    stage.reset();
  }
  await cancelCommand(check);
});

function judgeMoment(
  check: AgentCheck,
  name: string,
  turn: StageTurn,
  end: CallReply,
  mayEnd = false,
): void {
  const isKept = stopReasonOf(end) === "cancelled" || (mayEnd && end.kind === "result");
  check.judge("DRA-CAN-01", isKept, `a cancel ${name}`, turn.frame, end);
}

/** The moment at which a command runs, which also shows whether its process ends. */
async function cancelCommand(check: AgentCheck): Promise<void> {
  // Without terminals of the client, the agent runs the command itself, if it can.
  for (const capabilities of [{}, EVERYTHING]) {
    const stage = await Stage.open(check, { capabilities });
    const session = await stage.session();
    const pidFile = join(session.cwd, "pid.txt");
    const turn = await runningTurn(stage, session, pidFile).catch(ifUnmet);
    if (!turn) continue;
    stage.cancel(session);
    const end = await stage.endOf(turn);
    judgeMoment(check, "while a command runs", turn, end);
    const isOver = await hasEnded(check, Number(await readFile(pidFile, "utf8")));
    const words = `the command ${isOver ? "ended" : "still runs"}`;
    check.judge("DRA-CAN-02", isOver, words, turn.frame, end.frames);
    return;
  }
}

function hasEnded(check: AgentCheck, pid: number): Promise<boolean> {
  return untilTrue(() => !isRunning(pid), check.pace.exitMs);
}

const byRequest = stageCase("cancel/request", async (check, stage) => {
  const session = await stage.session();
  const turn = await streamingTurn(stage, session);
  const requestId = "no-such-request";
  const unknown = stage.link.notify("$/cancel_request", { requestId });
  await stage.link.barrier();
  const stray = stage.link
    .received(unknown.n)
    .filter(
      ({ message }) =>
        message.kind === "error" && (message.id === requestId || message.id === null),
    );
  const isHit = answersOf(stage.link, turn).length > 0;
  const cancel = stage.link.notify("$/cancel_request", { requestId: turn.id });
  await stage.link.barrier();
  const end = await stage.finish(turn);
  await stage.link.barrier();
  const answers = answersOf(stage.link, turn);
  const isValid = end.kind === "result" || (end.kind === "error" && end.code === -32800);
  const isKept = isValid && answers.length === 1 && stray.length === 0 && !isHit;
  const words = `${answers.length} answers to the prompt, ${stray.length} to an unknown id`;
  const note = isHit ? "the unknown id ended the turn" : undefined;
  check.judge("DRA-CAN-05", isKept, words, end, note, turn.frame, cancel, answers, stray);
});

const withdraws = stageCase("cancel/own-requests", async (check, stage) => {
  const session = await stage.session();
  const turn = await askingTurn(stage, session);
  stage.cancel(session);
  const withdrawal = await stage.link.until(
    ({ direction, message }) =>
      direction === "in" &&
      message.kind === "notification" &&
      message.method === "$/cancel_request",
    { after: turn.n, limitMs: check.pace.answerMs },
  );
  const answer = { error: { code: -32800, message: "request cancelled" } };
  await turn.request.answer(withdrawal ? answer : CANCELLED);
  const end = await stage.endOf(turn);
  const words = withdrawal ? "withdraws its open requests" : "does not withdraw its open requests";
  check.pass("DRA-CAN-06", words, turn.frame, end);
});

/** Cancels that must change nothing. */
const idle = bareStageCase("cancel/idle", async (check, stage) => {
  const session = await stage.session();
  // Without a model, an ordinary turn may end with an error.
  const usual = await stage.turn(session, { ending: [text(NEXT)] });
  if (!isAnswered(usual.end)) throw new Unmet(`no prompt works: ${describeReply(usual.end)}`);
  await stage.link.barrier();
  const after = stage.link.frames.length;
  stage.cancel(session);
  stage.cancel(session);
  stage.cancel(UNKNOWN);
  await stage.link.barrier();
  const stray = stage.link
    .received(after)
    .filter(({ message }) => message.kind === "error" && message.id === null);
  const words = `${stray.length} error responses to stray cancels`;
  check.judge("DRA-CAN-04", stray.length === 0, words, stray);
  await judgeUsual(stage, session, usual.end, "a stray cancel");
  await judgeSecond(stage, session, usual.end);
  await judgeOthers(stage, session, usual.end);
});

const UNKNOWN = { id: "no-such-session" };

function isSameEnd(one: CallReply, other: CallReply): boolean {
  if (one.kind === "error" && other.kind === "error") return one.code === other.code;
  return one.kind === other.kind && stopReasonOf(one) === stopReasonOf(other);
}

/** The next turn is an ordinary one. */
async function judgeUsual(
  stage: Stage,
  session: StageSession,
  usual: CallReply,
  what: string,
): Promise<void> {
  const next = await stage.turn(session, { ending: [text(NEXT)] });
  const said = stage.said(next);
  const isKept = isSameEnd(next.end, usual) && (stage.model === undefined || said.includes(NEXT));
  stage.check.judge(
    "DRA-CAN-04",
    isKept,
    `the turn after ${what}`,
    next.end,
    `text ${shown(said)}`,
  );
}

/** A repeated cancel affects neither the turn's answer nor the next turn. */
async function judgeSecond(stage: Stage, session: StageSession, usual: CallReply): Promise<void> {
  const turn = await streamingTurn(stage, session).catch(ifUnmet);
  if (!turn) return;
  stage.cancel(session);
  const cancel = stage.cancel(session);
  const end = await stage.endOf(turn);
  turn.release();
  if (!isAnswered(end)) return;
  stage.cancel(session);
  await stage.link.barrier();
  const answers = answersOf(stage.link, turn);
  const words = `${answers.length} answers to a prompt that was cancelled twice`;
  stage.check.judge("DRA-CAN-04", answers.length === 1, words, turn.frame, cancel, answers);
  await judgeUsual(stage, session, usual, "a second cancel");
}

/** No cancel ends the turn of another session, whether that session is unknown, idle or busy. */
async function judgeOthers(
  stage: Stage,
  idleSession: StageSession,
  usual: CallReply,
): Promise<void> {
  const busy = await stage.session();
  const turn = await streamingTurn(stage, busy).catch(ifUnmet);
  if (!turn) return;
  const cancel = stage.cancel(idleSession);
  stage.cancel(UNKNOWN);
  const other = await stage.session();
  const cancelled = await streamingTurn(stage, other, true).catch(ifUnmet);
  stage.cancel(other);
  if (cancelled) await stage.endOf(cancelled);
  cancelled?.release();
  await stage.link.barrier();
  const early = answersOf(stage.link, turn);
  const end = await stage.finish(turn);
  const isKept = early.length === 0 && (!stage.model || isSameEnd(end, usual));
  const what = "the turn of another session";
  stage.check.judge("DRA-CAN-04", isKept, what, turn.frame, cancel, end);
}

const closing = stageCase("close/running-turn", async (check, stage) => {
  const session = await stage.session();
  const turn = await streamingTurn(stage, session);
  const { reply } = stage.link.begin("session/close", { sessionId: session.id });
  const end = await stage.endOf(turn);
  const isCancelled = stopReasonOf(end) === "cancelled";
  check.judge("ACP-CLOSE-002", isCancelled, "session/close, and the prompt", await reply, end);
});

const resources = bareStageCase("close/resources", async (check, stage) => {
  const probe = await stdioProbe((await check.place()).root, "closed");
  const session = await stage.session({}, { mcpServers: [probe.config] });
  // The first turn at the latest starts the servers.
  await stage.turn(session);
  const server = started(await probe.events())?.["pid"];
  const file = join(session.cwd, "pid.txt");
  const turn = await runningTurn(stage, session, file).catch(ifUnmet);
  // The agent may be unable to run a command by itself.
  const shell = turn && Number(await readFile(file, "utf8"));
  const { id: sessionId } = session;
  const closed = await stage.link.request("session/close", { sessionId });
  needResult(closed, "session/close failed");
  for (const [what, pid] of [
    ["its MCP server", server],
    ["its command", shell],
  ] as const) {
    if (typeof pid !== "number") continue;
    const isOver = await hasEnded(check, pid);
    check.judge("DRA-CLOSE-01", isOver, what, isOver ? "ended" : "still runs", closed.frames);
  }
  const later = await check.prompt(stage.link, sessionId, "Hello?");
  const isRefused = later.kind === "error";
  check.judge("DRA-CLOSE-01", isRefused, "a later prompt", closed.frames, later);
});

function controlOf(link: SubjectLink): ProcessControl {
  const { process: control } = link.transport;
  if (!control) throw new Unmet("the run did not start the agent");
  return control;
}

async function exitOf(
  check: AgentCheck,
  control: ProcessControl,
): Promise<{ readonly hasExited: boolean; readonly words: string }> {
  const started = performance.now();
  const hasExited = await within(control.exited, check.pace.exitMs);
  const ms = Math.round(performance.now() - started);
  if (!hasExited) return { hasExited, words: `still running after ${ms} ms` };
  const { code, signal } = await control.exited;
  return { hasExited, words: `exit ${signal ?? code} after ${ms} ms` };
}

/** Processes that are left. Children may need a moment to notice the end of their parent. */
async function leftOver(check: AgentCheck, control: ProcessControl): Promise<readonly number[]> {
  let left: readonly number[] = [];
  await untilTrue(async () => {
    left = await control.pids();
    return left.length === 0;
  }, check.pace.exitMs);
  return left;
}

const eof = agentCase("shutdown/stdin", async (check) => {
  // Programs that an agent starts for a session can keep it running.
  for (const what of ["without a session", "with an open session"]) {
    const { link } = await check.open({});
    if (what === "with an open session") await check.session(link);
    const control = controlOf(link);
    control.endInput();
    const { hasExited, words } = await exitOf(check, control);
    if (!check.judge("ACP-SHUTDOWN-001", hasExited, what, words)) return;
  }
});

const ENDS: readonly (readonly [what: string, end: (link: SubjectLink) => void])[] = [
  ["SIGTERM", (link) => controlOf(link).signal("SIGTERM")],
  [
    "closed stdout",
    (link) => {
      controlOf(link).closeOutput();
      // The agent notices when it writes.
      link.begin("_dragoman/unread", {}, { limitMs: 0 });
      controlOf(link).endInput();
    },
  ],
];

const term = agentCase("shutdown/signal", async (check) => {
  for (const [what, end] of ENDS) {
    const { link } = await check.open({});
    const control = controlOf(link);
    end(link);
    const { hasExited, words } = await exitOf(check, control);
    const left = hasExited ? await leftOver(check, control) : [];
    const isKept = hasExited && left.length === 0;
    check.judge("DRA-END-03", isKept, what, words, `${left.length} processes are left`);
    if (!isKept) return;
  }
});

const saved = agentCase("shutdown/saved", async (check) => {
  const words = "Hello, remember the word nutmeg.";
  const first = await check.open({});
  const cwd = await check.workspace();
  const sessionId = await check.session(first.link, cwd);
  const turn = await check.prompt(first.link, sessionId, words);
  controlOf(first.link).endInput();
  needResult(turn, "no prompt works");
  await leaveSaved(check, first.link, words);
  const { link } = await check.open({});
  const reply = await load({ link, sessionId, cwd });
  await link.barrier();
  const said = link.textOf(sessionId, "user_message_chunk");
  const isThere = reply.kind === "result" && said.includes(words);
  check.judge("DRA-END-04", isThere, reply, said === "" ? "nothing was replayed" : said);
});

const PIECES = 400;
/** Droid 0.225.2 breaks off and repeats an answer that repeats itself, so each sentence differs. */
function flood(): string {
  const sentence = (at: number): string => `Sentence ${at} is about ${(at * 7919) % 10_007}. `;
  return Array.from({ length: 50 * PIECES }, (_, at) => sentence(at)).join("");
}

const NOT_READ_MS = 5000;

const notRead = bareStageCase("robustness/unread-output", async (check, stage) => {
  const model = stage.needModel();
  const control = controlOf(stage.link);
  const session = await stage.session();
  const sent = flood();
  const before = model.calls.length;
  const turn = stage.begin(session, {
    ending: [text(sent, { chunks: PIECES })],
    limitMs: NOT_READ_MS + 4 * check.pace.turnMs,
  });
  control.pause();
  await untilTrue(() => model.calls.length > before, check.pace.turnMs);
  const call = model.calls[before];
  // An agent that waits for its reader makes the model wait too.
  if (call) await valueWithin(call.ended, NOT_READ_MS);
  // The system takes the model's whole answer into its buffers, and a slow agent gets it only later.
  await pause(check.pace.exitMs);
  control.resume();
  const end = await turn.reply;
  await stage.link.barrier();
  const said = stage.said(turn);
  if (model.calls.length > before + 1) throw new Unmet("the agent called the model again");
  const words = `${said.length} of ${sent.length} characters after a pause of the reader`;
  check.judge("DRA-ROB-04", said === sent, words, end);
});

const END_MOMENTS: readonly {
  readonly what: string;
  readonly reach: (stage: Stage, session: StageSession) => Promise<HeldTurn>;
}[] = [
  { what: "during a turn", reach: (stage, session) => streamingTurn(stage, session) },
  { what: "while permission is requested", reach: askingTurn },
];

const inputEnds = agentCase("shutdown/during-a-turn", async (check) => {
  for (const { what, reach } of END_MOMENTS) {
    const stage = await Stage.open(check);
    const session = await stage.session();
    const turn = await reach(stage, session).catch(ifUnmet);
    if (!turn) continue;
    const control = controlOf(stage.link);
    control.endInput();
    const { hasExited, words } = await exitOf(check, control);
    check.judge("DRA-END-01", hasExited, what, words, turn.frame);
    await stage.link.transport.end();
  }
});

const orphans = bareStageCase("shutdown/orphans", async (check, stage) => {
  const control = controlOf(stage.link);
  const probe = await stdioProbe((await check.place()).root, "left");
  const session = await stage.session({}, { mcpServers: [probe.config] });
  await stage.turn(session);
  const running = await runningTurn(stage, session, join(session.cwd, "pid.txt")).catch(ifUnmet);
  const last = running?.frame ?? stage.link.frames.at(-1);
  const before = await control.pids();
  if (before.length < 2) throw new Unmet("the agent started no process of its own");
  control.endInput();
  await within(control.exited, check.pace.exitMs);
  const left = await leftOver(check, control);
  const words = `${left.length} of ${before.length} processes still run`;
  check.judge("DRA-END-02", left.length === 0, words, last);
});

export const shutdownCases: readonly AgentCase[] = aboutProcess(eof, term, saved);
export const endCases: readonly AgentCase[] = aboutProcess(notRead, inputEnds, orphans);
export const cancelCases: readonly AgentCase[] = [midStream, moments, byRequest, withdraws, idle];
export const closeCases: readonly AgentCase[] = [closing, ...aboutProcess(resources)];
