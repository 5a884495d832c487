import { deferred, type JsonObject } from "../../../../base/index.ts";
import { Unmet } from "../../harness/errors.ts";
import type { CheckingAgent } from "../agent.ts";
import { type ClientCase, type Played, needText } from "../case.ts";
import {
  describeEnd,
  describePlayed,
  isReported,
  playCalling,
  playTurn,
  turnProblem,
  unusualTurnCase,
} from "../play-turn.ts";
import { HELLO, type Scenario } from "../scenario.ts";
import { firstFault } from "../../verdicts.ts";

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
    check.judge(id, isReported(check, failed), "an error as the answer", describePlayed(failed));
  },
};

const EXACT = "exact: <b>&amp; 'quotes' 日本語 👍🏽";
const THOUGHT = "a-secret-thought";

const exactText = unusualTurnCase(
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

/** A case in which the agent sends something unusual between two texts. */
function unusual(id: string, what: string, work: Work, scenario?: Scenario): ClientCase {
  return unusualTurnCase(
    {
      id,
      what,
      scenario,
      faults: (played, check) => [turnProblem(check, played, "text-after")],
    },
    async (agent) => {
      await agent.say("text-before ");
      await work(agent);
      await agent.say("text-after ");
      await agent.barrier();
    },
  );
}

type Work = (agent: CheckingAgent) => Promise<void>;

/** Sends updates that no schema has. */
function sending(...updates: readonly JsonObject[]): Work {
  return async (agent) => {
    for (const update of updates) await agent.oddUpdate(update);
  };
}

const HOLOGRAM = { type: "hologram", data: "x" };

const unknownUpdates = unusual(
  "DRC-UPD-01",
  "unknown updates, content and fields",
  sending(
    { sessionUpdate: "update_of_the_future", value: { deep: [1, null] } },
    { sessionUpdate: "agent_message_chunk", content: HOLOGRAM },
    {
      sessionUpdate: "tool_call",
      toolCallId: "odd-1",
      title: "odd",
      content: [HOLOGRAM],
      fieldOfTheFuture: true,
    },
  ),
);

const ODD_CALL = { sessionUpdate: "tool_call_update", toolCallId: "odd-2" };

const unknownValues = unusual(
  "DRC-UPD-02",
  "unknown kinds, statuses and missing fields",
  sending(
    {
      sessionUpdate: "tool_call",
      toolCallId: "odd-2",
      title: "odd",
      kind: "teleport",
      status: "paused",
    },
    { ...ODD_CALL, title: null, kind: null, content: null },
    { ...ODD_CALL, status: "teleported", locations: null },
    {
      sessionUpdate: "plan",
      entries: [{ content: "odd", priority: "extreme", status: "dreaming" }],
    },
    { sessionUpdate: "agent_message_chunk" },
    { sessionUpdate: "notice", severity: "apocalyptic", message: "odd" },
  ),
);

const ODD_OPTIONS = [
  {
    id: "c-1",
    name: "Odd",
    category: "category_of_the_future",
    type: "select",
    currentValue: "a",
    options: [{ value: "a", name: "A" }],
  },
  { id: "c-2", name: "Odder", type: "colour_wheel", currentValue: { red: 1 } },
];

const unknownOptions = unusual(
  "DRC-UPD-03",
  "config options of an unknown category and type",
  sending({ sessionUpdate: "config_option_update", configOptions: ODD_OPTIONS }),
  {
    methods: {
      "session/new": ({ agent: { sessionId } }) => ({
        result: { sessionId, configOptions: ODD_OPTIONS },
        isInvalid: true,
      }),
    },
  },
);

/** Updates of one tool call that is announced late, announced twice, and begins after its end. */
const DISORDER: readonly JsonObject[] = [
  { sessionUpdate: "tool_call_update", status: "in_progress", title: "early" },
  { sessionUpdate: "tool_call", title: "odd" },
  { sessionUpdate: "tool_call", title: "odd again" },
  { sessionUpdate: "tool_call_update", status: "completed" },
  { sessionUpdate: "tool_call_update", status: "in_progress" },
  {
    sessionUpdate: "tool_call_update",
    content: [{ type: "terminal", terminalId: "never-created" }],
  },
];

const disorder = unusual("DRC-UPD-04", "tool calls out of order", async (agent) => {
  for (const update of DISORDER) await agent.update({ toolCallId: "odd-3", ...update });
});

/** Each plan has entries that the one before lacks. */
const PLANS = [["plan-keep", "plan-drop"], ["plan-new", "plan-keep"], ["plan-last"]];

const plans: ClientCase = {
  ids: ["DRC-UPD-05"],
  run: async (check) => {
    const { stdout, stderr } = await playTurn(check, async (agent) => {
      for (const contents of PLANS) {
        const entries = contents.map((content) => ({
          content,
          priority: "medium",
          status: "pending",
        }));
        await agent.update({ sessionUpdate: "plan", entries });
        await agent.barrier();
      }
    });
    const output = `${stdout}\n${stderr}`;
    const last = output.indexOf("plan-last");
    if (last < 0) throw new Unmet("the client does not show the plan");
    const afterNew = output.slice(Math.max(output.indexOf("plan-new"), 0));
    const afterLast = output.slice(last);
    const isMerged =
      afterNew.includes("plan-drop") ||
      ["plan-keep", "plan-new"].some((entry) => afterLast.includes(entry));
    check.judge(
      "DRC-UPD-05",
      !isMerged,
      `${isMerged ? "old" : "only new"} entries in a later plan`,
    );
  },
};

export const TURN_CASES: readonly ClientCase[] = [
  stopReasons,
  exactText,
  lateUpdates,
  unknownUpdates,
  unknownValues,
  unknownOptions,
  disorder,
  plans,
];
