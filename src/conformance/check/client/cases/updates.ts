import type { CheckingAgent } from "../agent.ts";
import type { ClientCase } from "../case.ts";
import { playTurn, turnProblem } from "../observe.ts";
import type { Scenario } from "../scenario.ts";

/** A case in which the agent sends something unusual, and the rest of the turn must be whole. */
function unusual(
  id: string,
  what: string,
  work: (agent: CheckingAgent) => Promise<void>,
  scenario: Scenario = {},
): ClientCase {
  return {
    ids: [id],
    run: async (check) => {
      const played = await playTurn(
        check,
        async (agent) => {
          await agent.say("text-before ");
          await work(agent);
          await agent.say("text-after ");
          await agent.barrier();
          return true;
        },
        { scenario },
      );
      const trouble = played.seen
        ? (turnProblem(check, played) ?? turnProblem(check, played, "text-after"))
        : played.problem;
      if (trouble === undefined)
        check.pass(id, `the rest of the turn was whole in spite of ${what}`);
      else check.fail(id, `in spite of ${what}, the rest of the turn is whole`, trouble);
    },
  };
}

const unknownUpdates = unusual(
  "DRC-UPD-01",
  "unknown updates, content and fields",
  async (agent) => {
    await agent.oddUpdate({ sessionUpdate: "update_of_the_future", value: { deep: [1, null] } });
    await agent.oddUpdate({
      sessionUpdate: "agent_message_chunk",
      content: { type: "hologram", data: "x" },
    });
    await agent.oddUpdate({
      sessionUpdate: "tool_call",
      toolCallId: "odd-1",
      title: "odd",
      content: [{ type: "hologram", data: "x" }],
      fieldOfTheFuture: true,
    });
  },
);

const unknownValues = unusual(
  "DRC-UPD-02",
  "unknown kinds, statuses and missing fields",
  async (agent) => {
    await agent.oddUpdate({
      sessionUpdate: "tool_call",
      toolCallId: "odd-2",
      title: "odd",
      kind: "teleport",
      status: "paused",
    });
    await agent.oddUpdate({
      sessionUpdate: "tool_call_update",
      toolCallId: "odd-2",
      title: null,
      kind: null,
      content: null,
    });
    await agent.oddUpdate({
      sessionUpdate: "tool_call_update",
      toolCallId: "odd-2",
      status: "teleported",
      locations: null,
    });
    await agent.oddUpdate({
      sessionUpdate: "plan",
      entries: [{ content: "odd", priority: "extreme", status: "dreaming" }],
    });
    await agent.oddUpdate({ sessionUpdate: "agent_message_chunk" });
    await agent.oddUpdate({ sessionUpdate: "notice", severity: "apocalyptic", message: "odd" });
  },
);

const unknownOptions = unusual(
  "DRC-UPD-03",
  "config options of an unknown category and type",
  async (agent) => {
    await agent.oddUpdate({ sessionUpdate: "config_option_update", configOptions: ODD_OPTIONS });
  },
  {
    methods: {
      "session/new": async ({ agent, id }) => {
        await agent.sendOdd({
          id,
          result: { sessionId: agent.sessionId, configOptions: ODD_OPTIONS },
        });
        return undefined;
      },
    },
  },
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

const disorder = unusual("DRC-UPD-04", "tool calls out of order", async (agent) => {
  await agent.update({
    sessionUpdate: "tool_call_update",
    toolCallId: "odd-3",
    status: "in_progress",
    title: "early",
  });
  await agent.update({ sessionUpdate: "tool_call", toolCallId: "odd-3", title: "odd" });
  await agent.update({ sessionUpdate: "tool_call", toolCallId: "odd-3", title: "odd again" });
  await agent.update({
    sessionUpdate: "tool_call_update",
    toolCallId: "odd-3",
    status: "completed",
  });
  await agent.update({
    sessionUpdate: "tool_call_update",
    toolCallId: "odd-3",
    status: "in_progress",
  });
  await agent.update({
    sessionUpdate: "tool_call_update",
    toolCallId: "odd-3",
    content: [{ type: "terminal", terminalId: "never-created" }],
  });
});

/** Each plan has entries that the one before lacks. */
const PLANS = [["plan-keep", "plan-drop"], ["plan-new", "plan-keep"], ["plan-last"]];

const plans: ClientCase = {
  ids: ["DRC-UPD-05"],
  run: async (check) => {
    const id = "DRC-UPD-05";
    const played = await playTurn(check, async (agent) => {
      for (const entries of PLANS) {
        await agent.update({
          sessionUpdate: "plan",
          entries: entries.map((content) => ({ content, priority: "medium", status: "pending" })),
        });
        await agent.barrier();
      }
      return true;
    });
    if (!played.seen) return check.untested(id, played.problem);
    const output = `${played.stdout}\n${played.stderr}`;
    const last = output.indexOf("plan-last");
    if (last < 0) return check.untested(id, "the client does not show the plan");
    const afterNew = output.slice(Math.max(output.indexOf("plan-new"), 0));
    const afterLast = output.slice(last);
    const isMerged =
      afterNew.includes("plan-drop") ||
      ["plan-keep", "plan-new"].some((entry) => afterLast.includes(entry));
    if (isMerged)
      check.fail(
        id,
        "a plan replaces the plan before it",
        "entries of an earlier plan are shown in a later one",
      );
    else check.pass(id, "the last plan was shown without entries of the earlier ones");
  },
};

export const UPDATE_CASES: readonly ClientCase[] = [
  unknownUpdates,
  unknownValues,
  unknownOptions,
  disorder,
  plans,
];
