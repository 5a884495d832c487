import type { JsonObject } from "../../../../base/index.ts";
import { Unmet } from "../../harness/errors.ts";
import type { CheckingAgent } from "../agent.ts";
import type { ClientCase } from "../case.ts";
import { playTurn, turnProblem, unusualTurn } from "../observe.ts";
import type { Scenario } from "../scenario.ts";

/** A case in which the agent sends something unusual between two texts. */
function unusual(id: string, what: string, work: Work, scenario?: Scenario): ClientCase {
  return unusualTurn(
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

export const UPDATE_CASES: readonly ClientCase[] = [
  unknownUpdates,
  unknownValues,
  unknownOptions,
  disorder,
  plans,
];
