import { objectField, objectsField, stringField, type JsonObject } from "../../../../base/index.ts";
import type { CheckingAgent } from "../agent.ts";
import type { ClientCase, ClientCheck, Played, ScenarioOptions } from "../case.ts";
import {
  describeResponse,
  isReported,
  paramsOf,
  promptProblem,
  settled,
  turnProblem,
} from "../observe.ts";
import { faultOf } from "../passive.ts";
import { HELLO, type CallHandler, type Scenario, type TurnHandler } from "../scenario.ts";
import { decisionOf, PERMISSION_OPTIONS } from "../permission-request.ts";

type Work = (agent: CheckingAgent) => Promise<void>;

/** The answer to a prompt is only a receipt: the turn ends when the session is idle. */
function turnOf(work: Work): TurnHandler {
  return async (agent, { params, id }) => {
    const messageId = `user-${String(id)}`;
    const content = objectsField(params, "prompt");
    // If it is not valid, the client is to blame.
    await agent.oddUpdate({ sessionUpdate: "user_message", messageId, content });
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
function v2Scenario(
  turn: TurnHandler,
  methods: Readonly<Record<string, CallHandler>> = {},
): Scenario {
  return {
    protocol: 2,
    turn,
    next: turnOf(async () => {}),
    methods: {
      initialize: () => ({
        result: {
          protocolVersion: 2,
          info: { name: "dragoman-check", version: "1" },
          capabilities: { session: {} },
          authMethods: [],
        },
      }),
      ...methods,
    },
  };
}

/** An ordinary turn of version 2. */
export const ORDINARY_V2: Scenario = v2Scenario(turnOf(async () => {}));

/** Plays a turn of version 2, and tells why it did not work. */
async function playV2(
  check: ClientCheck,
  work: Work,
  options: ScenarioOptions & { readonly methods?: Readonly<Record<string, CallHandler>> } = {},
): Promise<{ played: Played; trouble: string | undefined }> {
  const { methods, ...others } = options;
  const played = await check.play(v2Scenario(turnOf(work), methods), others);
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
    const foreign = agent.received
      .filter(({ json }) => json?.["method"] !== "initialize")
      .map((frame) => ({ frame, fault: faultOf(frame, agent) }))
      .find(({ fault }) => fault !== undefined);
    if (foreign) {
      const expected = "after the answer, every message has the form of version 1";
      return check.fail(id, expected, foreign.fault ?? "", [foreign.frame]);
    }
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

const UPSERTED = "text-that-is-set-three-times";
const CLEARED = "text-that-is-cleared";

const upserts: ClientCase = {
  ids: ["DRC2-UPD-01"],
  protocol: 2,
  run: async (check) => {
    const id = "DRC2-UPD-01";
    const { trouble, played } = await playV2(check, async (agent) => {
      const call = (fields: JsonObject): Promise<unknown> =>
        agent.update({ sessionUpdate: "tool_call_update", toolCallId: "call-1", ...fields });
      const message = (messageId: string, fields: JsonObject): Promise<unknown> =>
        agent.update({ sessionUpdate: "agent_message", messageId, ...fields });
      const text = (words: string): JsonObject => ({ content: [{ type: "text", text: words }] });
      await call({ title: "First", kind: "read", status: "in_progress" });
      await call({ status: "completed" });
      await call({ title: null });
      await message("m-1", text(`${UPSERTED} `));
      await message("m-1", text(`${UPSERTED} `));
      await message("m-1", {});
      await message("m-2", text(`${CLEARED} `));
      await message("m-2", { content: null });
      await message("m-2", {});
    });
    const expected = "updates are merged by id: null clears, and a missing field stays";
    if (!played.agent?.calls("session/prompt").length) return check.untested(id, trouble ?? "");
    if (trouble !== undefined) return check.fail(id, expected, trouble);
    if (!check.baseline.showsText)
      return check.pass(id, "updates of one tool call and two messages did no harm");
    const count = (text: string): number => played.stdout.split(text).length - 1;
    if (count(UPSERTED) !== 1)
      check.fail(id, expected, `a message that was set twice is shown ${count(UPSERTED)} times`);
    else if (count(CLEARED) > 1)
      check.fail(id, expected, `a message that was cleared is shown ${count(CLEARED)} times`);
    else if (/\b(?:null|undefined)\b/.test(played.stdout))
      check.fail(id, expected, "the output shows null or undefined");
    else check.pass(id, "a message that was set twice was shown once, and null did no harm");
  },
};

const unknownValues: ClientCase = {
  ids: ["DRC2-ENUM-01"],
  protocol: 2,
  run: async (check) => {
    const id = "DRC2-ENUM-01";
    const { trouble, played } = await playV2(check, async (agent) => {
      await agent.oddUpdate({ sessionUpdate: "update_of_the_future", value: 1 });
      await agent.oddUpdate({
        sessionUpdate: "tool_call_update",
        toolCallId: "c",
        title: "odd",
        kind: "_teleport",
        status: "_dreaming",
      });
      await agent.oddUpdate({
        sessionUpdate: "agent_message_chunk",
        messageId: "odd",
        content: { type: "_smell", data: "cinnamon" },
      });
      await agent.oddUpdate({
        sessionUpdate: "plan_update",
        plan: { type: "_mind_map", planId: "p" },
      });
      await agent.oddUpdate({ sessionUpdate: "state_update", state: "_waiting_for_rain" });
      await agent.update({ sessionUpdate: "state_update", state: "running" });
    });
    if (!played.agent?.calls("session/prompt").length) return check.untested(id, trouble ?? "");
    if (trouble !== undefined) return check.fail(id, "unknown values are not fatal", trouble);
    const odd = await check.play(v2Scenario(endingOddly));
    const expected = "an unknown stop reason ends the turn, and the user can see it";
    const { end, stdout, stderr } = odd;
    if (!end) check.fail(id, expected, "the client hangs");
    else if (!isReported(check, odd) && !`${stdout}${stderr}`.includes(ODD_REASON))
      check.fail(id, expected, "it looks like an ordinary end");
    else check.pass(id, "unknown updates, kinds, states and a stop reason did no harm");
  },
};

const ODD_REASON = "_out_of_tea";

/** A turn that ends with a stop reason of the future. */
const endingOddly: TurnHandler = async (agent, { id }) => {
  await agent.send({ id, result: { messageId: `user-${String(id)}` } });
  await agent.update({ sessionUpdate: "state_update", state: "running" });
  await say(agent, HELLO);
  await agent.oddUpdate({ sessionUpdate: "state_update", state: "idle", stopReason: ODD_REASON });
  return undefined;
};

/** Requests that a client cannot understand. */
const ODD_QUESTIONS: readonly { readonly what: string; readonly params: JsonObject }[] = [
  {
    what: "an unknown subject",
    params: { subject: { type: "_subject_of_the_future" }, options: PERMISSION_OPTIONS },
  },
  {
    what: "options of unknown kinds only",
    params: {
      options: [
        { optionId: "o-1", name: "Perhaps", kind: "_perhaps" },
        { optionId: "o-2", name: "Later", kind: "allow_later" },
      ],
    },
  },
];

const permission: ClientCase = {
  ids: ["DRC2-PERM-01"],
  protocol: 2,
  run: async (check) => {
    const id = "DRC2-PERM-01";
    const answers: { readonly what: string; readonly answer: JsonObject | undefined }[] = [];
    const { trouble } = await playV2(
      check,
      async (agent) => {
        for (const { what, params } of ODD_QUESTIONS) {
          const asked = agent.requestOdd("session/request_permission", {
            sessionId: agent.sessionId,
            title: "Do something odd",
            ...params,
          });
          answers.push({ what, answer: await settled(asked.response) });
        }
      },
      { drive: check.has("deny") ? ["deny"] : [] },
    );
    if (answers.length === 0) return check.untested(id, trouble ?? "nothing was asked");
    const silent = answers.find(({ answer }) => answer === undefined);
    if (silent) return check.untested(id, `the request with ${silent.what} was not answered`);
    const approved = answers.find(({ answer }) => answer && isApproval(answer));
    if (approved) {
      const { what, answer = {} } = approved;
      return check.fail(id, `a request with ${what} is not approved`, describeResponse(answer));
    }
    const words = answers.map(({ what, answer = {} }) => `${what}: ${describeResponse(answer)}`);
    check.pass(id, words.join("; "));
  },
};

/** Whether an answer selects something that is not known to be a rejection. */
function isApproval(answer: JsonObject): boolean {
  const decision = decisionOf(answer);
  if (typeof decision !== "object") return decision === "invalid" && !("error" in answer);
  const option = PERMISSION_OPTIONS.find(({ optionId }) => optionId === decision.optionId);
  return option?.kind.startsWith("reject") !== true;
}

const REPLAY = "replayed-text-of-an-earlier-turn";

const resume: ClientCase = {
  ids: ["DRC2-RES-01"],
  protocol: 2,
  needs: ["load"],
  run: async (check) => {
    const id = "DRC2-RES-01";
    const expected = "the replay is taken like the updates of a turn, and the next turn works";
    const { played, trouble } = await playV2(
      check,
      async (agent) => {
        // Belongs to a tool call that only the replay has described.
        await agent.update({
          sessionUpdate: "tool_call_update",
          toolCallId: "replayed-call",
          status: "completed",
        });
      },
      { drive: ["load"], methods: { "session/resume": replaying } },
    );
    const [resumed] = played.agent?.calls("session/resume") ?? [];
    if (!resumed) return check.untested(id, "the client sent no session/resume");
    if (trouble !== undefined) return check.fail(id, expected, trouble, [resumed]);
    const answer = played.stdout.split("\n").find((line) => line.includes(HELLO)) ?? "";
    if (answer.includes(REPLAY))
      return check.fail(id, expected, "the replay was shown as a part of the answer", [resumed]);
    const replayed = paramsOf(resumed)["replayFrom"] === undefined ? "without" : "with";
    check.pass(id, `a session was resumed ${replayed} its replay, and a turn worked`, [resumed]);
  },
};

/** Replays a message and a tool call that has not ended, if the client asks for it. */
const replaying: CallHandler = async ({ agent, params }) => {
  agent.sessionId = stringField(params, "sessionId") ?? agent.sessionId;
  if (params["replayFrom"]) {
    await agent.update({
      sessionUpdate: "agent_message",
      messageId: "old",
      content: [{ type: "text", text: REPLAY }],
    });
    await agent.update({
      sessionUpdate: "tool_call_update",
      toolCallId: "replayed-call",
      title: "Replayed",
      kind: "read",
      status: "in_progress",
    });
  }
  await agent.update({ sessionUpdate: "state_update", state: "idle" });
  return { result: {} };
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
