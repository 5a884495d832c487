import { text } from "../../../../model/index.ts";
import { Unmet } from "../../../harness/errors.ts";
import { describeReply, isAnswered, type CallReply, shown } from "../../../harness/reply.ts";
import { type AgentCheck, evidence } from "../../agent-check.ts";
import type { AgentCase } from "../../case.ts";
import { answersOf, chunksOf } from "../facts.ts";
import { ifUnmet, streamingTurn } from "../moments.ts";
import { Stage, type StageSession, stopReasonOf } from "../stage.ts";

const NEXT = "This is the next turn.";

/** Cancels that must change nothing. */
export const idleCancel: AgentCase = {
  name: "cancel/idle",
  ids: ["DRA-CAN-04"],
  process: "fresh",
  needs: "prompt",
  run: async (check) => {
    const stage = await Stage.open(check, { capabilities: {} });
    const session = await stage.session();
    // Without a model, an ordinary turn may end with an error.
    const usual = await stage.turn(session, { ending: [text(NEXT)] });
    if (!isAnswered(usual.end)) throw new Unmet(`no prompt works: ${describeReply(usual.end)}`);
    await stage.link.barrier();
    const after = stage.link.frames.length;
    stage.cancel(session);
    stage.cancel(session);
    cancelUnknown(stage);
    await stage.link.barrier();
    const stray = stage.link
      .received(after)
      .filter(({ message }) => message.kind === "error" && message.id === null);
    check.judge("DRA-CAN-04", stray.length === 0, "no frame", {
      expected: "no frame after a stray cancel",
      actual: `${stray.length} error responses`,
      frames: evidence(stage.link, ...stray.map(({ n }) => n)),
    });
    await judgeUsual(check, stage, session, usual.end, "a stray cancel");
    await judgeSecond(check, stage, session, usual.end);
    await judgeOthers(check, stage, session, usual.end);
  },
};

function cancelUnknown({ link }: Stage): number {
  return link.notify("session/cancel", { sessionId: "no-such-session" });
}

/** Whether two turns ended in the same way. */
function isSameEnd(one: CallReply, other: CallReply): boolean {
  if (one.kind === "error" && other.kind === "error") return one.code === other.code;
  return one.kind === other.kind && stopReasonOf(one) === stopReasonOf(other);
}

/** The next turn is an ordinary one. */
async function judgeUsual(
  check: AgentCheck,
  stage: Stage,
  session: StageSession,
  usual: CallReply,
  what: string,
): Promise<void> {
  const { end, n } = await stage.turn(session, { ending: [text(NEXT)] });
  const said = chunksOf(stage.link, session.id, "agent_message_chunk", n);
  const isWhole = stage.model === undefined || said.includes(NEXT);
  const words = `${describeReply(end)} with the text ${shown(said)}`;
  check.judge("DRA-CAN-04", isSameEnd(end, usual) && isWhole, `next turn after ${what}: ${words}`, {
    expected: `an ordinary turn after ${what}`,
    actual: words,
    frames: evidence(stage.link, n, end),
  });
}

/** A repeated cancel affects neither the turn's answer nor the next turn. */
async function judgeSecond(
  check: AgentCheck,
  stage: Stage,
  session: StageSession,
  usual: CallReply,
): Promise<void> {
  const turn = await streamingTurn(stage, session).catch(ifUnmet);
  if (!turn) return;
  stage.cancel(session);
  const at = stage.cancel(session);
  const end = await stage.endOf(turn);
  turn.release();
  if (!isAnswered(end)) return;
  stage.cancel(session);
  await stage.link.barrier();
  const answers = answersOf(stage.link, turn);
  check.judge("DRA-CAN-04", answers.length === 1, "a second cancel", {
    expected: "one answer to a prompt that is cancelled twice",
    actual: `${answers.length} answers`,
    frames: evidence(stage.link, turn.n, at, ...answers),
  });
  await judgeUsual(check, stage, session, usual, "a second cancel");
}

/** No cancel ends the turn of another session, whether that session is unknown, idle or busy. */
async function judgeOthers(
  check: AgentCheck,
  stage: Stage,
  idleSession: StageSession,
  usual: CallReply,
): Promise<void> {
  const busy = await stage.session();
  const turn = await streamingTurn(stage, busy).catch(ifUnmet);
  if (!turn) return;
  const at = stage.cancel(idleSession);
  cancelUnknown(stage);
  const other = await stage.session();
  const cancelled = await streamingTurn(stage, other, true).catch(ifUnmet);
  stage.cancel(other);
  if (cancelled) await stage.endOf(cancelled);
  cancelled?.release();
  await stage.link.barrier();
  const early = answersOf(stage.link, turn);
  turn.release();
  // A slow prompt of the user lasts until it is cancelled.
  if (!stage.model) stage.cancel(busy);
  const end = await stage.endOf(turn);
  const isKept = early.length === 0 && (!stage.model || isSameEnd(end, usual));
  check.judge("DRA-CAN-04", isKept, "another session went on", {
    expected: "the turn of another session to go on",
    actual: describeReply(end),
    frames: evidence(stage.link, turn.n, at, end),
  });
}
