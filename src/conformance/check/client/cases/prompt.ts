import { deferred } from "../../../../base/index.ts";
import type { ClientCase, Played } from "../case.ts";
import {
  describeEnd,
  isReported,
  playTurn,
  promptProblem,
  settled,
  turnProblem,
} from "../observe.ts";
import { HELLO } from "../scenario.ts";

const REASONS = ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"];

/** The parts of a run that a user can see, without times and other numbers. */
function signOf({ end, stdout, stderr }: Played): string {
  return JSON.stringify([end && describeEnd(end), `${stdout}\n${stderr}`.replaceAll(/\d+/g, "#")]);
}

const stopReasons: ClientCase = {
  ids: ["DRC-PRM-02"],
  run: async (check) => {
    const id = "DRC-PRM-02";
    const signs = new Map<string, string>();
    const show = (reason: string): Promise<Played> =>
      check.play({
        turn: async (agent, { id: request }) => {
          await agent.say(HELLO);
          await agent.sendOdd({ id: request, result: { stopReason: reason } });
          return undefined;
        },
      });
    for (const reason of [...REASONS, "reason_of_the_future"]) {
      const played = await show(reason);
      if (!played.agent?.calls("session/prompt").length)
        return check.untested(id, promptProblem(played));
      if (!played.end) return check.fail(id, `the turn ends with ${reason}`, "the client hangs");
      const sign = signOf(played);
      const same = signs.get(sign);
      if (same !== undefined) {
        return check.fail(
          id,
          "a user can tell the stop reasons apart",
          `${reason} looks like ${same}: ${sign.slice(0, 200)}`,
        );
      }
      signs.set(sign, reason);
    }
    const failed = await check.play({
      turn: async () => ({ error: { code: -32_603, message: "the-model-is-broken" } }),
    });
    if (!isReported(check, failed)) {
      return check.fail(
        id,
        "an error as the answer to a prompt is reported",
        failed.end ? "the client said nothing" : "it hangs",
      );
    }
    check.pass(id, `${signs.size} stop reasons look different, and an error is reported`);
  },
};

const EXACT = "exact: <b>&amp; 'quotes' 日本語 👍🏽";
const THOUGHT = "a-secret-thought";

const exactText: ClientCase = {
  ids: ["DRC-PRM-03"],
  run: async (check) => {
    const id = "DRC-PRM-03";
    if (!check.baseline.showsText)
      return check.untested(id, "the client does not show the answer's text");
    const played = await playTurn(check, async (agent) => {
      await agent.update({
        sessionUpdate: "agent_thought_chunk",
        content: { type: "text", text: THOUGHT },
        messageId: "t1",
      });
      await agent.say(EXACT.slice(0, 9), { messageId: "m1" });
      await agent.say(EXACT.slice(9), { messageId: "m1" });
      await agent.say("second-message", { messageId: "m2" });
      await agent.barrier();
      return true;
    });
    const { stdout } = played;
    const trouble = played.seen ? turnProblem(check, played) : played.problem;
    if (trouble !== undefined) return check.fail(id, "the turn completes", trouble);
    const expected =
      "the text is shown as it was sent, without thoughts, and two messages are apart";
    if (!stdout.includes(EXACT)) check.fail(id, expected, `"${EXACT}" is not in the output`);
    else if (stdout.includes(THOUGHT)) check.fail(id, expected, "a thought is part of the answer");
    else if (stdout.includes(`${EXACT}second-message`)) {
      check.fail(id, expected, "two messages with different ids run together");
    } else check.pass(id, "the text was exact, and the messages were apart");
  },
};

const LATE = "text-after-the-end-of-the-turn";
const SECOND = "answer-of-the-second-turn";

const lateUpdates: ClientCase = {
  ids: ["DRC-PRM-04"],
  needs: ["again"],
  run: async (check) => {
    const id = "DRC-PRM-04";
    let hasSecond = false;
    let wasLate = false;
    const isLate = deferred();
    const played = await check.play(
      {
        turn: async (agent, { id: request }) => {
          await agent.say(HELLO);
          await agent.send({ id: request, result: { stopReason: "end_turn" } });
          // The client has to know that the turn ended before the update arrives.
          await settled(agent.ask("_dragoman/barrier", {}));
          await agent.say(LATE);
          await settled(agent.ask("_dragoman/barrier", {}));
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
    if (!hasSecond) return check.untested(id, "the client sent no second prompt");
    const expected =
      "an update after the end of a turn is not part of the next answer, and does no harm";
    const trouble = turnProblem(check, played, SECOND);
    const line = played.stdout.split("\n").find((text) => text.includes(SECOND)) ?? "";
    if (trouble !== undefined) check.fail(id, expected, trouble);
    else if (line.includes(LATE)) check.fail(id, expected, "it was shown in the next answer");
    else check.pass(id, "the second answer was shown without it");
  },
};

export const PROMPT_CASES: readonly ClientCase[] = [stopReasons, exactText, lateUpdates];
