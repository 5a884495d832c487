import { asObject } from "../../../wire/index.ts";
import { paramsFaults } from "../../../conformance/index.ts";
import { describeReply, shown } from "../../harness/reply.ts";
import type { LinkFrame } from "../../harness/link.ts";
import { type AgentCheck, evidence } from "../agent-check.ts";
import type { AgentCase } from "../case.ts";
import { seed2, stateIn, type Session2, turn2, type Turn2 } from "./turns.ts";

const USER_MESSAGES = new Set(["user_message", "user_message_chunk"]);

const turns: AgentCase = {
  name: "v2/turn",
  ids: ["ACP-PROMPT-201", "ACP-PROMPT-203", "ACP-PROMPT-205", "ACP-STATE-202", "ACP-PATCH-203"],
  process: "fresh",
  needs: "prompt",
  isTraffic: true,
  run: async (check) => {
    const { session, turn } = await seed2(check);
    const { link, sessionId } = session;
    const frames = evidence(link, turn.reply);
    check.judge(
      "ACP-PROMPT-201",
      turn.messageId !== undefined,
      `receipt ${shown(turn.messageId)}`,
      {
        expected: "a result with a messageId",
        actual: describeReply(turn.reply),
        frames,
      },
    );
    judgeState(check, session, turn);
    await link.barrier();
    judgeUpdates(check, session, turn.n);
    if (!turn.idle) return;
    if (turn.messageId !== undefined) {
      const messages = link
        .updates(sessionId, turn.n)
        .filter(({ update }) => USER_MESSAGES.has(String(update["sessionUpdate"])));
      const isShown = messages.some(({ update }) => update["messageId"] === turn.messageId);
      check.judge("ACP-PROMPT-203", isShown, "the user's message has the id of the receipt", {
        expected: `a user message with the id ${turn.messageId}`,
        actual: `${messages.length} user messages with other ids`,
        frames: [...frames, ...evidence(link, ...messages.slice(0, 2).map(({ n }) => n))],
      });
    }
    const next = await turn2(check, session, "Hello again");
    if (turn.messageId === undefined || next.messageId === undefined) return;
    const isNew = next.messageId !== turn.messageId;
    check.judge("ACP-PATCH-203", isNew, "two receipts with two ids", {
      expected: "two different message ids",
      actual: `${shown(turn.messageId)} twice`,
      frames: [...frames, ...evidence(link, next.reply)],
    });
  },
};

function judgeState(check: AgentCheck, { link, sessionId }: Session2, turn: Turn2): void {
  const hasRun = link
    .received(turn.n)
    .some((frame) => stateIn(frame, sessionId)?.["state"] === "running");
  if (!hasRun) {
    check.untested("ACP-STATE-202", "the agent never reported that it runs");
    return;
  }
  check.judge("ACP-STATE-202", turn.idle !== undefined, "running, then idle", {
    expected: "idle after running",
    actual: "no idle before the limit of the turn",
    frames: evidence(link, turn.reply),
  });
}

function judgeUpdates(check: AgentCheck, { link, sessionId }: Session2, after: number): void {
  const updates = link.received(after).filter(isUpdate);
  for (const frame of updates) {
    const { message } = frame;
    const params = message.kind === "notification" ? message.params : undefined;
    const [fault] = paramsFaults("session/update", params, {
      from: "agent",
      isRequest: false,
      protocol: 2,
      isUnstable: true,
    });
    const isOwn = asObject(params)?.["sessionId"] === sessionId;
    check.judge("ACP-PROMPT-205", fault?.kind !== "invalid" && isOwn, `${updates.length} updates`, {
      expected: "a valid update of the prompted session",
      actual: fault ? `${fault.path} ${fault.message}` : "an update of another session",
      frames: [frame],
    });
  }
}

function isUpdate({ message }: LinkFrame): boolean {
  return message.kind === "notification" && message.method === "session/update";
}

export const prompt2Cases: readonly AgentCase[] = [turns];
