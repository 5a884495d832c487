import { deferred } from "../../../../base/index.ts";
import { Unmet } from "../../harness/errors.ts";
import type { ClientCase, Played } from "../case.ts";
import {
  describeEnd,
  describeRun,
  firstFault,
  isReported,
  needText,
  playCalling,
  turnProblem,
  unusualTurn,
} from "../observe.ts";
import { HELLO } from "../scenario.ts";

const REASONS = [
  "end_turn",
  "max_tokens",
  "max_turn_requests",
  "refusal",
  "cancelled",
  "reason_of_the_future",
];

/** The parts of a run that a user can see, without times and other numbers. */
function signOf({ end, stdout, stderr }: Played): string {
  return JSON.stringify([describeEnd(end), `${stdout}\n${stderr}`.replaceAll(/\d+/g, "#")]);
}

const stopReasons: ClientCase = {
  ids: ["DRC-PRM-02"],
  run: async (check) => {
    const id = "DRC-PRM-02";
    const signs = new Map<string, string>();
    for (const reason of REASONS) {
      const played = await playCalling(check, "session/prompt", {
        turn: async (agent) => {
          await agent.say(HELLO);
          return { result: { stopReason: reason }, isInvalid: true };
        },
      });
      const sign = signOf(played);
      const same = signs.get(sign) ?? "no other";
      const isApart = played.end !== undefined && !signs.has(sign);
      if (!check.judge(id, isApart, `${reason} looks like ${same}`, describeEnd(played.end)))
        return;
      signs.set(sign, reason);
    }
    const failed = await check.play({
      turn: async () => ({ error: { code: -32_603, message: "the-model-is-broken" } }),
    });
    check.judge(id, isReported(check, failed), "an error as the answer", describeRun(failed));
  },
};

const EXACT = "exact: <b>&amp; 'quotes' 日本語 👍🏽";
const THOUGHT = "a-secret-thought";

const exactText = unusualTurn(
  {
    id: "DRC-PRM-03",
    what: "a thought and two messages",
    require: needText,
    faults: ({ stdout }) => [
      !stdout.includes(EXACT) && `"${EXACT}" is not in the output`,
      stdout.includes(THOUGHT) && "a thought is part of the answer",
      stdout.includes(`${EXACT}second-message`) && "two messages with different ids run together",
    ],
  },
  async (agent) => {
    const content = { type: "text", text: THOUGHT };
    await agent.update({ sessionUpdate: "agent_thought_chunk", content, messageId: "t1" });
    await agent.say(EXACT.slice(0, 9), { messageId: "m1" });
    await agent.say(EXACT.slice(9), { messageId: "m1" });
    await agent.say("second-message", { messageId: "m2" });
    await agent.barrier();
  },
);

const LATE = "text-after-the-end-of-the-turn";
const SECOND = "answer-of-the-second-turn";

const lateUpdates: ClientCase = {
  ids: ["DRC-PRM-04"],
  needs: ["again"],
  run: async (check) => {
    let hasSecond = false;
    let wasLate = false;
    const isLate = deferred();
    const played = await check.play(
      {
        turn: async (agent, { id: request }) => {
          await agent.say(HELLO);
          await agent.send({ id: request, result: { stopReason: "end_turn" } });
          // The client has to know that the turn ended before the update arrives.
          await agent.call("_dragoman/barrier", {});
          await agent.say(LATE);
          await agent.call("_dragoman/barrier", {});
          wasLate = true;
          isLate.resolve();
          return undefined;
        },
        next: async (agent) => {
          // The client may send more prompts before it has the late update.
          hasSecond ||= wasLate;
          await agent.say(wasLate ? SECOND : HELLO);
          return "end_turn";
        },
      },
      {
        drive: ["again"],
        beside: async (run) => {
          await Promise.race([isLate.promise, run.ended]);
          run.drive("again");
        },
      },
    );
    if (!hasSecond) throw new Unmet("the client sent no second prompt");
    const line = played.stdout.split("\n").find((text) => text.includes(SECOND)) ?? "";
    const fault = firstFault(
      turnProblem(check, played, SECOND),
      line.includes(LATE) && "it was shown in the next answer",
    );
    check.judge("DRC-PRM-04", !fault, "an update after the end of a turn", fault ?? "no harm");
  },
};

export const PROMPT_CASES: readonly ClientCase[] = [stopReasons, exactText, lateUpdates];
