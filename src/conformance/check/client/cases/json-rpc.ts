import { counted, type JsonObject } from "../../../../base/index.ts";
import { Unmet } from "../../harness/errors.ts";
import { INVALID_PARAMS, isAnswered, isError, shown } from "../../harness/reply.ts";
import { textChunk, type CheckingAgent } from "../agent.ts";
import type { ClientCase, ClientCheck } from "../case.ts";
import { promptProblem, tryTurn, turnCase, turnProblem, unusualTurnCase } from "../play-turn.ts";
import { beginPermission, PERMISSION_OPTIONS } from "../permission-request.ts";
import { HELLO, initialized } from "../scenario.ts";
import { firstFault } from "../../verdicts.ts";
import { offeredFiles } from "./files.ts";
import { offersTerminals } from "./terminals.ts";

/** Lines that are not messages. The half message is the start of a real one. */
const NOISE = [
  "\uFEFFWelcome to the agent v1.0",
  "",
  "[info] loading the model",
  "\u001B[32m✔\u001B[0m ready",
  "   ",
  '{"jsonrpc":"2.0","method":"session/upd',
  "Warning: something is deprecated",
];

const noise: ClientCase = {
  ids: ["DRC-FRAME-02", "DRC-FRAME-03"],
  run: async (check) => {
    const played = await tryTurn(
      check,
      async (agent) => {
        await agent.write(`${NOISE.join("\n")}\n`);
        await agent.barrier();
      },
      {
        scenario: {
          methods: {
            initialize: async ({ agent }) => {
              await agent.write(`${NOISE.join("\n")}\n`);
              return { result: initialized() };
            },
          },
        },
      },
    );
    const { agent, problem, trouble } = played;
    if (!agent) throw new Unmet(promptProblem(played));
    const words = `${2 * NOISE.length} lines that are not messages`;
    check.judge("DRC-FRAME-02", !trouble, words, trouble ?? "the turn completed");
    const answers = agent.received.filter(
      ({ json }) => json && !("method" in json) && (json["id"] ?? null) === null,
    );
    if (problem && answers.length === 0) throw problem;
    check.judge("DRC-FRAME-03", answers.length === 0, counted(answers.length, "answer"), answers);
  },
};

const SPLIT_TEXT = "Grüße-👩‍👩‍👧-日本語";

const split = unusualTurnCase(
  {
    id: "DRC-FRAME-04",
    what: "split and joined lines",
    faults: ({ stdout }, { baseline }) =>
      [SPLIT_TEXT, "many-0;", "many-49;"].map(
        (text) => baseline.showsText && !stdout.includes(text) && `"${text}" was not shown`,
      ),
  },
  async (agent) => {
    const line = (text: string): string => agent.updateLine(textChunk(text));
    // One byte at a time, each written by itself, so that characters are split.
    for (const byte of Buffer.from(line(SPLIT_TEXT))) await agent.write(Uint8Array.of(byte));
    await agent.write(Array.from({ length: 50 }, (_, at) => line(` many-${at};`)).join(""));
    await agent.barrier();
  },
);

const KIB = 1024;
const SIZES = [100 * KIB, 8 * KIB * KIB, 40 * KIB * KIB];

const large: ClientCase = {
  ids: ["DRC-FRAME-05"],
  run: async (check) => {
    for (const size of SIZES) {
      const played = await tryTurn(
        check,
        async (agent) => {
          await agent.say("big", { _meta: { padding: "x".repeat(size) } });
          await agent.barrier();
        },
        { limitMs: 3 * check.limitMs },
      );
      const { agent, end, trouble, stderr } = played;
      if (!agent) throw new Unmet(promptProblem(played));
      const hasCrashed = end !== undefined && end.isOwn && end.signal !== null;
      const isTold = trouble === undefined || stderr.trim() !== "";
      const isKept = end !== undefined && !hasCrashed && isTold;
      const words = `a message of ${size / KIB} KiB`;
      if (!check.judge("DRC-FRAME-05", isKept, words, trouble ?? "it was taken")) return;
    }
  },
};

/** Notifications that nothing may answer. */
const NOTIFICATIONS: readonly JsonObject[] = [
  { method: "_dragoman/unknown", params: {} },
  { method: "$/dragoman", params: {} },
  { method: "dragoman/unknown", params: {} },
  { method: "session/update", params: { wrong: true } },
  { method: "session/update" },
];

const unknownMethods = turnCase(
  { ids: ["DRC-RPC-01", "DRC-RPC-02", "DRC-RPC-03"] },
  async (agent, { judge, call }) => {
    const barrier = (): Promise<unknown> => agent.call("_dragoman/barrier", {});
    const custom = await agent.call("_dragoman/unknown", {});
    const plain = await agent.call("dragoman/unknown", {}, { isInvalid: true });
    judge("DRC-RPC-01", isAnswered(custom) && isAnswered(plain), "unknown", custom, plain);
    const before = agent.received.length;
    for (const notification of NOTIFICATIONS) await agent.sendOdd(notification);
    await barrier();
    await barrier();
    const stray = agent.received
      .slice(before)
      .filter(({ json }) => json && !("method" in json) && !isBarrier(agent, json));
    const words = `${counted(stray.length, "answer")} to ${NOTIFICATIONS.length} notifications`;
    judge("DRC-RPC-02", stray.length === 0, words, stray);
    // Another prompt of this connection may have used the same ids.
    const start = agent.frames.length;
    const echoes = ["a", "7", -1, 0, call.id ?? 1].map((id) =>
      agent.begin("_dragoman/echo", {}, { id }),
    );
    const replies = await Promise.all(echoes.map(({ reply }) => reply));
    await barrier();
    for (const { id } of echoes) {
      const answers = agent.answersTo(id, start);
      const isKept = replies.every(isAnswered) && answers.length === 1;
      judge("DRC-RPC-03", isKept, `id ${shown(id)}`, counted(answers.length, "answer"), answers);
    }
  },
);

function isBarrier(agent: CheckingAgent, { id }: JsonObject): boolean {
  return agent.requested(id) === "_dragoman/barrier";
}

/** Requests with params that are incomplete or of a wrong type, of the methods that the client offers. */
function badRequests(capabilities: JsonObject): readonly (readonly [string, JsonObject])[] {
  const { read, write } = offeredFiles(capabilities);
  return [
    ["session/request_permission", {}],
    ["session/request_permission", { toolCall: { toolCallId: "x" }, options: "all" }],
    ...(read ? [["fs/read_text_file", { path: 7 }] as const] : []),
    ...(write ? [["fs/write_text_file", { path: "/x" }] as const] : []),
    ...(offersTerminals(capabilities) ? [["terminal/create", { args: "x" }] as const] : []),
  ];
}

const badParams = turnCase({ ids: ["DRC-RPC-04"] }, async (agent, { judge }) => {
  const { sessionId } = agent;
  for (const [method, params] of badRequests(agent.capabilities)) {
    const reply = await agent.call(method, { sessionId, ...params }, { isInvalid: true });
    judge("DRC-RPC-04", isError(reply, INVALID_PARAMS), method, reply);
  }
});

const strayResponses: ClientCase = {
  ids: ["DRC-RPC-05"],
  run: async (check) => {
    const judge = (what: string, trouble: string | undefined): boolean =>
      check.judge("DRC-RPC-05", !trouble, what, trouble ?? "changed nothing");
    const first = await tryTurn(
      check,
      async (agent) => {
        await agent.sendOdd({ id: "never-sent", result: {} });
        await agent.sendOdd({ id: 424_242, error: { code: -32603, message: "stray" } });
        await agent.say("before-the-second-answer ");
        await agent.barrier();
      },
      {
        scenario: {
          methods: {
            "session/close": async ({ agent, id }) => {
              await agent.sendOdd({ id, result: {} });
              return { result: {}, isInvalid: true };
            },
          },
        },
      },
    );
    if (!judge("answers to nothing", first.trouble)) return;
    const second = await check.play({
      turn: async (agent, { id }) => {
        await agent.say(HELLO);
        await agent.send({ id, result: { stopReason: "end_turn" } });
        return { result: { stopReason: "refusal" } };
      },
    });
    judge("a second answer", turnProblem(check, second));
  },
};

const IN_FLIGHT = 100;

const inFlight = turnCase({ ids: ["DRC-RPC-06"] }, async (agent, { judge }) => {
  const question = beginPermission(agent);
  const others = Array.from({ length: IN_FLIGHT }, () => agent.call("_dragoman/echo", {}));
  const count = (await Promise.all(others)).filter(isAnswered).length;
  await question.reply;
  const words = `${count} of ${IN_FLIGHT} requests next to a permission request were answered`;
  judge("DRC-RPC-06", count === IN_FLIGHT, words);
});

const CHUNKS = 60;

const order: ClientCase = {
  ids: ["DRC-RPC-07"],
  run: async (check) => {
    const isJudged = [await judgeChunks(check), await judgeQuestion(check)];
    if (!isJudged.includes(true)) throw new Unmet("the client shows neither text nor questions");
  },
};

/** Judges whether the last piece of an answer comes before its end, if the client shows it. */
async function judgeChunks(check: ClientCheck): Promise<boolean> {
  if (!check.baseline.showsText) return false;
  const pieces = Array.from({ length: CHUNKS }, (_, index) => `w${index}.`);
  const { end, stdout } = await check.play({
    turn: async (agent, { id }) => {
      const lines = pieces.map((text) => agent.updateLine(textChunk(text)));
      // In one write with the answer, so that the client has no time between them.
      await agent.write(lines.join("") + agent.lineFor({ id, result: { stopReason: "end_turn" } }));
      return undefined;
    },
  });
  const output = stdout.replaceAll(/\s/g, "");
  const missing = pieces.filter((piece) => !output.includes(piece)).length;
  const fault = firstFault(
    !end && "the client did not end in time",
    missing > 0 && `${missing} of ${CHUNKS} pieces were not shown`,
    !output.includes(pieces.join("")) && "the pieces are in another order",
  );
  const words = `${CHUNKS} pieces were shown in order, all before the end`;
  check.judge("DRC-RPC-07", !fault, fault ?? words);
  return true;
}

const CALL_TITLE = "Announced-call-of-the-check";
const OPTION_NAME = "Option-of-the-check";

/** Judges whether a tool call is shown before the question whether it may run, if both are shown. */
async function judgeQuestion(check: ClientCheck): Promise<boolean> {
  const { stdout, stderr } = await tryTurn(
    check,
    async (agent) => {
      const toolCallId = "check-announced";
      const call = { sessionUpdate: "tool_call", toolCallId, title: CALL_TITLE, kind: "execute" };
      const id = "check-question";
      const options = PERMISSION_OPTIONS.map((option) => ({
        ...option,
        name: `${OPTION_NAME} ${option.name}`,
      }));
      // The title is known from the tool call only.
      const params = { sessionId: agent.sessionId, toolCall: { toolCallId }, options };
      const question = agent.lineFor({ id, method: "session/request_permission", params });
      await agent.write(agent.updateLine(call) + question);
      await agent.barrier();
      await agent.notify("$/cancel_request", { requestId: id });
      await agent.barrier();
    },
    { prefer: ["ask"] },
  );
  for (const output of [stdout, stderr]) {
    const title = output.indexOf(CALL_TITLE);
    const question = output.indexOf(OPTION_NAME);
    if (question < 0 || title < 0) continue;
    const words = `a tool call was shown ${title < question ? "before" : "after"} its question`;
    check.judge("DRC-RPC-07", title < question, words);
    return true;
  }
  return false;
}

const withdrawn = turnCase({ ids: ["DRC-RPC-08"], prefer: ["ask"] }, async (agent, { judge }) => {
  const { id, reply } = beginPermission(agent);
  await agent.notify("$/cancel_request", { requestId: id });
  await agent.notify("$/cancel_request", { requestId: "never-sent" });
  const answer = await reply;
  await agent.barrier();
  const answers = agent.answersTo(id);
  const isKept = isAnswered(answer) && answers.length === 1;
  judge("DRC-RPC-08", isKept, counted(answers.length, "answer"), answer, answers);
});

export const JSON_RPC_CASES: readonly ClientCase[] = [
  noise,
  split,
  large,
  unknownMethods,
  badParams,
  strayResponses,
  inFlight,
  order,
  withdrawn,
];
