import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "../../../../model/index.ts";
import { describeReply, isAnswered, type CallReply, shown } from "../../../harness/reply.ts";
import { type AgentCheck, evidence } from "../../agent-check.ts";
import type { AgentCase } from "../../case.ts";
import { CANCELLED } from "../client/permissions.ts";
import { answersOf, chunksOf, turnUpdatesAfter } from "../facts.ts";
import {
  askingTurn,
  type HeldTurn,
  ifUnmet,
  requestingTurn,
  runningTurn,
  streamingTurn,
} from "../moments.ts";
import { ALL, Stage, type StageSession, type StageTurn, stopReasonOf } from "../stage.ts";
import { isRunning, untilTrue, valueWithin } from "../wait.ts";

const midStream: AgentCase = {
  name: "cancel/mid-stream",
  ids: ["ACP-CANCEL-001", "ACP-CANCEL-002", "DRA-CAN-03"],
  process: "fresh",
  needs: "model",
  run: async (check) => {
    const stage = await Stage.open(check);
    const session = await stage.session();
    const turn = await streamingTurn(stage, session);
    const at = stage.cancel(session);
    const end = await stage.endOf(turn);
    const frames = evidence(stage.link, turn.n, at, end);
    check.judge("ACP-CANCEL-001", stopReasonOf(end) === "cancelled", "cancelled mid-stream", {
      expected: "the stop reason cancelled",
      actual: describeReply(end),
      frames,
    });
    turn.release();
    if (!isAnswered(end)) return;
    await stage.link.barrier();
    const late = turnUpdatesAfter(stage.link, session.id, end.n);
    check.judge("ACP-CANCEL-002", late.length === 0, "silence after the response", {
      expected: "no update of the cancelled turn after its response",
      actual: `${late.length} updates after the response`,
      frames: evidence(stage.link, end, ...late),
    });
    await judgeNext(check, stage, session, turn);
  },
};

const NEXT = "This is the next turn.";

/** DRA-CAN-03: the turn after a cancelled one is an ordinary one, and each prompt has one answer. */
async function judgeNext(
  check: AgentCheck,
  stage: Stage,
  session: StageSession,
  cancelled: StageTurn,
): Promise<void> {
  const next = await stage.turn(session, { ending: [text(NEXT)] });
  await stage.link.barrier();
  const said = chunksOf(stage.link, session.id, "agent_message_chunk", next.n);
  const answers = [answersOf(stage.link, cancelled), answersOf(stage.link, next)];
  const isWhole =
    stopReasonOf(next.end) !== "cancelled" &&
    next.end.kind === "result" &&
    (stage.model === undefined || said.includes(NEXT));
  check.judge(
    "DRA-CAN-03",
    isWhole && answers.every(({ length }) => length === 1),
    "one answer each",
    {
      expected: "one answer to each prompt, and an ordinary turn after the cancelled one",
      actual: `${describeReply(next.end)} with the text ${shown(said)}; answers: ${answers.map(({ length }) => length).join(" and ")}`,
      frames: evidence(stage.link, cancelled.n, next.n, ...answers.flat()),
    },
  );
}

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
      await turn.request?.answer({ error: { code: -32800, message: "request cancelled" } });
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

const moments: AgentCase = {
  name: "cancel/moments",
  ids: ["DRA-CAN-01", "DRA-CAN-02"],
  process: "fresh",
  needs: "model",
  run: async (check) => {
    const stage = await Stage.open(check);
    for (const moment of MOMENTS) {
      const held = await reached(stage, moment);
      if (!held) continue;
      const end = await stage.endOf(held);
      judgeMoment(check, stage, moment, held, end);
      if (held.call && moment.mayEnd !== true) await judgeAborted(check, stage, held);
      held.release();
      resetAnswers(stage);
      if (!isAnswered(end)) return;
    }
    await cancelCommand(check);
  },
};

/** The turn at the moment; undefined if the agent cannot be brought there. */
async function reached(stage: Stage, moment: Moment): Promise<HeldTurn | undefined> {
  const held = await moment.cancel(stage, await stage.session()).catch(ifUnmet);
  if (!held) resetAnswers(stage);
  return held;
}

function resetAnswers(stage: Stage): void {
  stage.permission = () => CANCELLED;
  stage.intercept = undefined;
}

function judgeMoment(
  check: AgentCheck,
  { link }: Stage,
  { name, mayEnd = false }: Pick<Moment, "name" | "mayEnd">,
  turn: StageTurn,
  end: CallReply,
): void {
  const reason = stopReasonOf(end);
  const isKept = reason === "cancelled" || (mayEnd && end.kind === "result");
  check.judge("DRA-CAN-01", isKept, name, {
    expected: `the stop reason cancelled for a cancel ${name}`,
    actual: describeReply(end),
    frames: evidence(link, turn.n, end),
  });
}

async function judgeAborted(check: AgentCheck, { link }: Stage, turn: HeldTurn): Promise<void> {
  const how = turn.call && (await valueWithin(turn.call.ended, check.pace.answerMs));
  check.judge("DRA-CAN-02", how === "aborted", "the call of the model was aborted", {
    expected: "the call of the model to be aborted",
    actual: how === undefined ? "the agent still waits for the model" : `the call ended: ${how}`,
    frames: evidence(link, turn.n),
  });
}

/** The moment at which a command runs, which also shows whether its process ends. */
async function cancelCommand(check: AgentCheck): Promise<void> {
  // Without terminals of the client, the agent runs the command itself, if it can.
  for (const capabilities of [{}, ALL]) {
    const stage = await Stage.open(check, { capabilities });
    const session = await stage.session();
    const pidFile = join(session.cwd, "pid.txt");
    const turn = await runningTurn(stage, session, pidFile).catch(ifUnmet);
    if (turn) return judgeCommand(check, stage, turn, pidFile);
  }
}

async function judgeCommand(
  check: AgentCheck,
  stage: Stage,
  turn: HeldTurn,
  pidFile: string,
): Promise<void> {
  stage.cancel(turn.session);
  const end = await stage.endOf(turn);
  judgeMoment(check, stage, { name: "while a command runs" }, turn, end);
  const pid = Number(await readFile(pidFile, "utf8"));
  const isOver = await untilTrue(() => !isRunning(pid), check.pace.exitMs);
  check.judge("DRA-CAN-02", isOver, "the command was ended", {
    expected: "the process of the command to end",
    actual: "the command still runs",
    frames: evidence(stage.link, turn.n, end),
  });
}

const byRequest: AgentCase = {
  name: "cancel/request",
  ids: ["DRA-CAN-05"],
  process: "fresh",
  needs: "model",
  run: async (check) => {
    const stage = await Stage.open(check);
    const session = await stage.session();
    const turn = await streamingTurn(stage, session);
    const unknown = stage.link.notify("$/cancel_request", { requestId: "no-such-request" });
    await stage.link.barrier();
    const stray = stage.link
      .received(unknown)
      .filter(
        ({ message }) => message.kind === "error" && message.id !== undefined && isFor(message.id),
      );
    const isHit = answersOf(stage.link, turn).length > 0;
    const at = stage.link.notify("$/cancel_request", { requestId: turn.id });
    await stage.link.barrier();
    turn.release();
    if (!stage.model) stage.cancel(session);
    const end = await stage.endOf(turn);
    await stage.link.barrier();
    const answers = answersOf(stage.link, turn);
    const isValid = end.kind === "result" || (end.kind === "error" && end.code === -32800);
    check.judge(
      "DRA-CAN-05",
      isValid && answers.length === 1 && stray.length === 0 && !isHit,
      describeReply(end),
      {
        expected:
          "one answer to the prompt, a result or the error -32800, and none to an unknown id",
        actual: `${describeReply(end)}; ${answers.length} answers to the prompt, ${stray.length} to an unknown id${isHit ? ", which ended the turn" : ""}`,
        frames: evidence(stage.link, turn.n, at, ...answers, ...stray.map(({ n }) => n)),
      },
    );
  },
};

function isFor(id: unknown): boolean {
  return id === "no-such-request" || id === null;
}

const withdraws: AgentCase = {
  name: "cancel/own-requests",
  ids: ["DRA-CAN-06"],
  process: "fresh",
  needs: "model",
  run: async (check) => {
    const stage = await Stage.open(check);
    const session = await stage.session();
    const { request, n, ...turn } = await askingTurn(stage, session);
    stage.cancel(session);
    const withdrawal = await stage.link.until(
      ({ direction, message }) =>
        direction === "in" &&
        message.kind === "notification" &&
        message.method === "$/cancel_request",
      { after: n, limitMs: check.pace.answerMs },
    );
    const answer = { error: { code: -32800, message: "request cancelled" } };
    await request.answer(withdrawal ? answer : CANCELLED);
    const end = await stage.endOf({ ...turn, n });
    const words = withdrawal
      ? "withdraws its open requests"
      : "does not withdraw its open requests";
    check.pass("DRA-CAN-06", `${words}; ${describeReply(end)}`, evidence(stage.link, n, end));
  },
};

export const cancelCases: readonly AgentCase[] = [midStream, moments, byRequest, withdraws];
