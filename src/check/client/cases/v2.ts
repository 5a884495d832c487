import { objectField, objectsField, stringField, type JsonObject } from "../../../wire/index.ts";
import type { CheckingAgent } from "../agent.ts";
import type { ClientCase, ClientCheck, Played, ScenarioOptions } from "../case.ts";
import { describeResponse, promptProblem, settled, turnProblem } from "../observe.ts";
import { HELLO, type CallHandler, type Scenario } from "../scenario.ts";
import { decisionOf, PERMISSION_OPTIONS } from "../permission-request.ts";

type Work = (agent: CheckingAgent) => Promise<void>;

/** The answer to a prompt is only a receipt: the turn ends when the session is idle. */
function turnOf(work: Work): CallHandler {
  return async ({ agent, params, id }) => {
    const messageId = `user-${String(id)}`;
    const content = objectsField(params, "prompt");
    await agent.update({ sessionUpdate: "user_message", messageId, content });
    await agent.send({ id, result: { messageId } });
    await agent.update({ sessionUpdate: "state_update", state: "running" });
    await work(agent);
    await say(agent, HELLO);
    await agent.update({ sessionUpdate: "state_update", state: "idle", stopReason: "end_turn" });
    return undefined;
  };
}

async function say(agent: CheckingAgent, text: string, messageId = "answer"): Promise<void> {
  await agent.update({
    sessionUpdate: "agent_message_chunk",
    messageId,
    content: { type: "text", text },
  });
}

/** An agent of version 2. */
function v2Scenario(work: Work, methods: Readonly<Record<string, CallHandler>> = {}): Scenario {
  return {
    protocol: 2,
    methods: {
      initialize: () => ({
        result: {
          protocolVersion: 2,
          info: { name: "dragoman-check", version: "1" },
          capabilities: { session: {} },
          authMethods: [],
        },
      }),
      "session/prompt": turnOf(work),
      ...methods,
    },
  };
}

/** An ordinary turn of version 2. */
export const ORDINARY_V2: Scenario = v2Scenario(async () => {});

/** Plays a turn of version 2, and tells why it did not work. */
async function playV2(
  check: ClientCheck,
  work: Work,
  options: ScenarioOptions & { readonly methods?: Readonly<Record<string, CallHandler>> } = {},
): Promise<{ played: Played; trouble: string | undefined }> {
  const { methods, ...others } = options;
  const played = await check.play(v2Scenario(work, methods), others);
  const hasPrompted = (played.agent?.calls("session/prompt").length ?? 0) > 0;
  return { played, trouble: hasPrompted ? turnProblem(check, played) : promptProblem(played) };
}

const fallback: ClientCase = {
  ids: ["DRC2-INIT-01"],
  protocol: 2,
  run: async (check) => {
    const id = "DRC2-INIT-01";
    const played = await check.play({});
    const { agent } = played;
    const [first] = agent?.calls("initialize") ?? [];
    if (!agent || !first) return check.untested(id, promptProblem(played));
    const asked = objectField(first.json ?? {}, "params")?.["protocolVersion"];
    if (asked !== 2) return check.skip(id, `the client asks for version ${String(asked)}`);
    const hasPrompted = agent.calls("session/prompt").length > 0;
    const trouble = hasPrompted ? turnProblem(check, played) : promptProblem(played);
    if (trouble === undefined)
      check.pass(id, "answered with version 1, the client went on with version 1", [first]);
    else
      check.fail(id, "a client that is answered with version 1 goes on with it", trouble, [first]);
  },
};

const untilIdle: ClientCase = {
  ids: ["DRC2-PRM-01"],
  protocol: 2,
  run: async (check) => {
    let isOpen = false;
    const { trouble, played } = await playV2(check, async (agent) => {
      // The client has handled the answer to the prompt when it answers these.
      await settled(agent.ask("_dragoman/barrier", {}));
      isOpen =
        (await settled(agent.ask("_dragoman/barrier", {}))) !== undefined &&
        agent.ends.length === 0;
      await say(agent, "text-after-the-receipt ");
    });
    const isShown = !check.baseline.showsText || played.stdout.includes("text-after-the-receipt");
    const expected = "the turn ends when the session is idle, not with the answer to the prompt";
    if (!played.agent?.calls("session/prompt").length) check.untested("DRC2-PRM-01", trouble ?? "");
    else if (!isOpen)
      check.fail("DRC2-PRM-01", expected, "the client left before the session was idle");
    else if (trouble !== undefined) check.fail("DRC2-PRM-01", expected, trouble);
    else if (!isShown)
      check.fail("DRC2-PRM-01", expected, "text after the answer to the prompt was not shown");
    else check.pass("DRC2-PRM-01", "text after the answer to the prompt was part of the turn");
  },
};

const upserts: ClientCase = {
  ids: ["DRC2-UPD-01"],
  protocol: 2,
  run: async (check) => {
    const { trouble } = await playV2(check, async (agent) => {
      const call = (fields: JsonObject): Promise<unknown> =>
        agent.update({ sessionUpdate: "tool_call_update", toolCallId: "call-1", ...fields });
      await call({ title: "First", kind: "read", status: "in_progress" });
      await call({ status: "completed" });
      await call({ title: null });
      await agent.update({
        sessionUpdate: "agent_message",
        messageId: "m-1",
        content: [{ type: "text", text: "one " }],
      });
      await agent.update({ sessionUpdate: "agent_message", messageId: "m-1", content: null });
      await agent.update({ sessionUpdate: "agent_message", messageId: "m-1" });
    });
    if (trouble === undefined)
      check.pass("DRC2-UPD-01", "updates of one tool call and one message did no harm");
    else
      check.fail(
        "DRC2-UPD-01",
        "updates are merged by id: null clears, and a missing field stays",
        trouble,
      );
  },
};

const unknownValues: ClientCase = {
  ids: ["DRC2-ENUM-01"],
  protocol: 2,
  run: async (check) => {
    const { trouble } = await playV2(check, async (agent) => {
      await agent.oddUpdate({ sessionUpdate: "update_of_the_future", value: 1 });
      await agent.oddUpdate({
        sessionUpdate: "tool_call_update",
        toolCallId: "c",
        title: "odd",
        kind: "_teleport",
        status: "_dreaming",
      });
      await agent.oddUpdate({ sessionUpdate: "state_update", state: "_waiting_for_rain" });
      await agent.update({ sessionUpdate: "state_update", state: "running" });
    });
    if (trouble === undefined)
      check.pass("DRC2-ENUM-01", "unknown updates, kinds and states did no harm");
    else check.fail("DRC2-ENUM-01", "unknown values are not fatal", trouble);
  },
};

const permission: ClientCase = {
  ids: ["DRC2-PERM-01"],
  protocol: 2,
  run: async (check) => {
    const id = "DRC2-PERM-01";
    const answers: (JsonObject | undefined)[] = [];
    const { trouble } = await playV2(
      check,
      async (agent) => {
        const asked = agent.requestOdd("session/request_permission", {
          sessionId: agent.sessionId,
          title: "Do something odd",
          subject: { type: "_subject_of_the_future", value: 1 },
          options: PERMISSION_OPTIONS,
        });
        answers.push(await settled(asked.response));
      },
      { drive: check.has("deny") ? ["deny"] : [] },
    );
    const [answer] = answers;
    if (!answer) return check.untested(id, trouble ?? "the request was not answered");
    const decision = decisionOf(answer);
    const kind =
      typeof decision === "object"
        ? PERMISSION_OPTIONS.find(({ optionId }) => optionId === decision.optionId)?.kind
        : decision;
    const isApproval = kind?.startsWith("allow") ?? true;
    if (isApproval && !("error" in answer))
      check.fail(id, "an unknown subject is not approved", describeResponse(answer));
    else check.pass(id, describeResponse(answer));
  },
};

const REPLAY = "replayed-text-of-an-earlier-turn";

const resume: ClientCase = {
  ids: ["DRC2-RES-01"],
  protocol: 2,
  needs: ["load"],
  run: async (check) => {
    const id = "DRC2-RES-01";
    const { played, trouble } = await playV2(check, async () => {}, {
      drive: ["load"],
      methods: {
        "session/resume": async ({ agent, params }) => {
          agent.sessionId = stringField(params, "sessionId") ?? agent.sessionId;
          if (params["replayFrom"]) {
            await agent.update({
              sessionUpdate: "agent_message",
              messageId: "old",
              content: [{ type: "text", text: REPLAY }],
            });
          }
          await agent.update({ sessionUpdate: "state_update", state: "idle" });
          return { result: {} };
        },
      },
    });
    const [resumed] = played.agent?.calls("session/resume") ?? [];
    if (!resumed) return check.untested(id, "the client sent no session/resume");
    if (trouble === undefined)
      check.pass(id, "a session was resumed, and a turn worked", [resumed]);
    else check.fail(id, "the replay is taken, and the next turn works", trouble, [resumed]);
  },
};

const batches: ClientCase = {
  ids: ["DRC2-BATCH-01"],
  protocol: 2,
  run: async (check) => {
    const { trouble, played } = await playV2(check, async (agent) => {
      await agent.write(
        `[${JSON.stringify({ jsonrpc: "2.0", id: "in-a-batch", method: "_dragoman/unknown", params: {} })}]\n`,
      );
      await settled(agent.ask("_dragoman/barrier", {}));
    });
    const answers = played.agent?.answersTo("in-a-batch") ?? [];
    check.pass(
      "DRC2-BATCH-01",
      `${trouble ?? "the turn went on"}; the batch got ${answers.length} answers`,
    );
  },
};

export const V2_CASES: readonly ClientCase[] = [
  fallback,
  untilIdle,
  upserts,
  unknownValues,
  permission,
  resume,
  batches,
];
