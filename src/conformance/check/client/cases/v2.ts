import { objectsField, stringField, type JsonObject } from "../../../../base/index.ts";
import { NotApplicable, Unmet } from "../../harness/errors.ts";
import { isAnswered, type CallReply } from "../../harness/reply.ts";
import { type CheckingAgent, paramsOf } from "../agent.ts";
import type { ClientCase, ClientCheck } from "../case.ts";
import { isReported, playCalling, promptProblem, turnProblem, type Called } from "../play-turn.ts";
import { frameFault } from "../passive.ts";
import { decisionOf, PERMISSION_OPTIONS } from "../permission-request.ts";
import { HELLO, type CallHandler, type Scenario, type TurnHandler } from "../scenario.ts";
import { firstFault } from "../../verdicts.ts";

const ODD_REASON = "_out_of_tea";

type Work = (agent: CheckingAgent) => Promise<void>;

/** The answer to a prompt is only a receipt: the turn ends when the session is idle. */
function turnOf(work: Work, stopReason = "end_turn"): TurnHandler {
  return async (agent, { params, id }) => {
    const messageId = `user-${String(id)}`;
    const content = objectsField(params, "prompt");
    // If it is not valid, the client is to blame.
    await agent.oddUpdate({ sessionUpdate: "user_message", messageId, content });
    await agent.send({ id, result: { messageId } });
    await agent.update({ sessionUpdate: "state_update", state: "running" });
    await work(agent);
    await say(agent, HELLO);
    const idle = { sessionUpdate: "state_update", state: "idle", stopReason };
    await (stopReason === ODD_REASON ? agent.oddUpdate(idle) : agent.update(idle));
    return undefined;
  };
}

async function say(agent: CheckingAgent, text: string): Promise<void> {
  await agent.say(text, { messageId: "answer" });
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

/** A client of version 2 after a turn. */
interface PlayedV2 extends Called {
  /** Why the turn was not whole. */
  readonly trouble: string | undefined;
}

/** Plays a turn of version 2. Throws {@link Unmet} if the client does not prompt. */
async function playV2(check: ClientCheck, work: Work): Promise<PlayedV2> {
  const played = await playCalling(check, "session/prompt", v2Scenario(turnOf(work)));
  return { ...played, trouble: turnProblem(check, played) };
}

const fallback: ClientCase = {
  ids: ["DRC2-INIT-01"],
  protocol: 2,
  run: async (check) => {
    const played = await playCalling(check, "initialize", {});
    const { agent, call } = played;
    const asked = paramsOf(call)["protocolVersion"];
    if (asked !== 2) throw new NotApplicable(`the client asks for version ${String(asked)}`);
    const [foreign] = agent.received
      .filter(({ json }) => json?.["method"] !== "initialize")
      .flatMap((frame) => {
        const fault = frameFault(frame, agent);
        return fault === undefined ? [] : [[fault, frame] as const];
      });
    const fault = firstFault(foreign, turnProblem(check, played));
    check.judge("DRC2-INIT-01", !fault, fault ?? "it went on with version 1", call);
  },
};

const untilIdle: ClientCase = {
  ids: ["DRC2-PRM-01"],
  protocol: 2,
  run: async (check) => {
    let isOpen = false;
    const { trouble, stdout } = await playV2(check, async (agent) => {
      // The client has handled the answer to the prompt when it answers these.
      await agent.call("_dragoman/barrier", {});
      const barrier = await agent.call("_dragoman/barrier", {});
      isOpen = isAnswered(barrier) && agent.ends.length === 0;
      await say(agent, "text-after-the-receipt ");
    });
    const isShown = !check.baseline.showsText || stdout.includes("text-after-the-receipt");
    const fault = firstFault(
      !isOpen && "the client left before the session was idle",
      trouble,
      !isShown && "text after the answer to the prompt was not shown",
    );
    check.judge("DRC2-PRM-01", !fault, fault ?? "text after the answer was part of the turn");
  },
};

const UPSERTED = "text-that-is-set-three-times";
const CLEARED = "text-that-is-cleared";

function message(messageId: string, text?: string | null): JsonObject {
  const update = { sessionUpdate: "agent_message", messageId };
  if (text === undefined) return update;
  return { ...update, content: text === null ? null : [{ type: "text", text: `${text} ` }] };
}

const CALL = { sessionUpdate: "tool_call_update", toolCallId: "call-1" };
const UPSERTS: readonly JsonObject[] = [
  { ...CALL, title: "First", kind: "read", status: "in_progress" },
  { ...CALL, status: "completed" },
  { ...CALL, title: null },
  message("m-1", UPSERTED),
  message("m-1", UPSERTED),
  message("m-1"),
  message("m-2", CLEARED),
  message("m-2", null),
  message("m-2"),
];

const upserts: ClientCase = {
  ids: ["DRC2-UPD-01"],
  protocol: 2,
  run: async (check) => {
    const { trouble, stdout } = await playV2(check, async (agent) => {
      for (const update of UPSERTS) await agent.update(update);
    });
    const count = (text: string): number => stdout.split(text).length - 1;
    const wrong = firstFault(
      count(UPSERTED) !== 1 && `a message that was set twice is shown ${count(UPSERTED)} times`,
      count(CLEARED) > 1 && `a message that was cleared is shown ${count(CLEARED)} times`,
      /\b(?:null|undefined)\b/.test(stdout) && "the output shows null or undefined",
    );
    const fault = trouble ?? (check.baseline.showsText ? wrong : undefined);
    check.judge("DRC2-UPD-01", !fault, fault ?? "a tool call and two messages were merged");
  },
};

const UNKNOWN: readonly JsonObject[] = [
  { sessionUpdate: "update_of_the_future", value: 1 },
  {
    sessionUpdate: "tool_call_update",
    toolCallId: "c",
    title: "odd",
    kind: "_teleport",
    status: "_dreaming",
  },
  {
    sessionUpdate: "agent_message_chunk",
    messageId: "odd",
    content: { type: "_smell", data: "cinnamon" },
  },
  { sessionUpdate: "plan_update", plan: { type: "_mind_map", planId: "p" } },
  { sessionUpdate: "state_update", state: "_waiting_for_rain" },
  { sessionUpdate: "state_update", state: "running" },
];

const unknownValues: ClientCase = {
  ids: ["DRC2-ENUM-01"],
  protocol: 2,
  run: async (check) => {
    const id = "DRC2-ENUM-01";
    const { trouble } = await playV2(check, async (agent) => {
      for (const update of UNKNOWN) await agent.oddUpdate(update);
    });
    if (!check.judge(id, !trouble, "unknown updates", trouble ?? "did no harm")) return;
    const odd = await check.play(v2Scenario(turnOf(async () => {}, ODD_REASON)));
    const isSeen = isReported(check, odd) || `${odd.stdout}${odd.stderr}`.includes(ODD_REASON);
    const fault = firstFault(
      !odd.end && "the client hangs",
      !isSeen && "it looks like an ordinary end",
    );
    check.judge(id, !fault, "an unknown stop reason", fault ?? "can be seen");
  },
};

/** Requests that a client cannot understand. */
const ODD_QUESTIONS: readonly (readonly [what: string, params: JsonObject])[] = [
  [
    "an unknown subject",
    { subject: { type: "_subject_of_the_future" }, options: PERMISSION_OPTIONS },
  ],
  [
    "options of unknown kinds only",
    {
      options: [
        { optionId: "o-1", name: "Perhaps", kind: "_perhaps" },
        { optionId: "o-2", name: "Later", kind: "allow_later" },
      ],
    },
  ],
];

const permission: ClientCase = {
  ids: ["DRC2-PERM-01"],
  protocol: 2,
  run: async (check) => {
    const answers: (readonly [what: string, reply: CallReply])[] = [];
    const ask: Work = async (agent) => {
      const fields = { sessionId: agent.sessionId, title: "Do something odd" };
      for (const [what, params] of ODD_QUESTIONS) {
        const question = { ...fields, ...params };
        const options = { isInvalid: true };
        const reply = await agent.call("session/request_permission", question, options);
        answers.push([what, reply]);
      }
    };
    const played = await check.play(v2Scenario(turnOf(ask)), { prefer: ["deny"] });
    if (answers.length === 0) throw new Unmet(promptProblem(played));
    const silent = answers.find(([, reply]) => !isAnswered(reply));
    if (silent) throw new Unmet(`the request with ${silent[0]} was not answered`);
    for (const [what, reply] of answers)
      check.judge("DRC2-PERM-01", !isApproval(reply), what, reply);
  },
};

/** Whether an answer selects something that is not known to be a rejection. */
function isApproval(reply: CallReply): boolean {
  const decision = decisionOf(reply);
  if (typeof decision !== "object") return decision === "invalid" && reply.kind !== "error";
  const option = PERMISSION_OPTIONS.find(({ optionId }) => optionId === decision.optionId);
  return option?.kind.startsWith("reject") !== true;
}

const REPLAY = "replayed-text-of-an-earlier-turn";
const REPLAYED_CALL = { sessionUpdate: "tool_call_update", toolCallId: "replayed-call" };

const resume: ClientCase = {
  ids: ["DRC2-RES-01"],
  protocol: 2,
  needs: ["load"],
  run: async (check) => {
    // It belongs to a tool call that only the replay has described.
    const turn = turnOf(async (agent) => {
      await agent.update({ ...REPLAYED_CALL, status: "completed" });
    });
    const scenario = v2Scenario(turn, { "session/resume": replaying });
    const played = await playCalling(check, "session/resume", scenario, { drive: ["load"] });
    const { call, stdout } = played;
    const answer = stdout.split("\n").find((line) => line.includes(HELLO)) ?? "";
    const fault = firstFault(
      turnProblem(check, played),
      answer.includes(REPLAY) && "the replay was shown as a part of the answer",
    );
    const how = paramsOf(call)["replayFrom"] === undefined ? "without" : "with";
    check.judge("DRC2-RES-01", !fault, `resumed ${how} a replay`, fault ?? "a turn worked", call);
  },
};

/** Replays a message and a tool call that has not ended, if the client asks for it. */
const replaying: CallHandler = async ({ agent, params }) => {
  agent.sessionId = stringField(params, "sessionId") ?? agent.sessionId;
  if (params["replayFrom"]) {
    await agent.update(message("old", REPLAY));
    await agent.update({
      ...REPLAYED_CALL,
      title: "Replayed",
      kind: "read",
      status: "in_progress",
    });
  }
  await agent.update({ sessionUpdate: "state_update", state: "idle" });
  return { result: {} };
};

const BATCH = [{ jsonrpc: "2.0", id: "in-a-batch", method: "_dragoman/unknown", params: {} }];

const batches: ClientCase = {
  ids: ["DRC2-BATCH-01"],
  protocol: 2,
  run: async (check) => {
    const turn = turnOf(async (agent) => {
      await agent.write(`${JSON.stringify(BATCH)}\n`);
      await agent.call("_dragoman/barrier", {});
    });
    const played = await check.play(v2Scenario(turn));
    const count = played.agent?.answersTo("in-a-batch").length ?? 0;
    const words = turnProblem(check, played) ?? "the turn went on";
    check.judge("DRC2-BATCH-01", true, words, `the batch got ${count} answers`);
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
