import type { JsonObject } from "../../../../base/index.ts";
import type { CheckingAgent } from "../agent.ts";
import type { ClientCase, ClientCheck } from "../case.ts";
import {
  codeOf,
  describeResponse,
  offeredFiles,
  offersTerminals,
  playTurn,
  settled,
  turnProblem,
} from "../observe.ts";
import { PERMISSION_OPTIONS, permissionParams } from "../permission-request.ts";

const unknownMethods: ClientCase = {
  ids: ["DRC-RPC-01", "DRC-RPC-02", "DRC-RPC-03"],
  run: async (check) => {
    const played = await playTurn(check, async (agent, call) => {
      const custom = await settled(agent.request("_dragoman/unknown", {}).response);
      const plain = await settled(agent.requestOdd("dragoman/unknown", {}).response);
      const before = agent.received.length;
      await agent.notify("_dragoman/unknown", {});
      await agent.sendOdd({ method: "$/dragoman", params: {} });
      await agent.sendOdd({ method: "dragoman/unknown", params: {} });
      await agent.sendOdd({ method: "session/update", params: { wrong: true } });
      await agent.sendOdd({ method: "session/update" });
      await settled(agent.request("_dragoman/barrier", {}).response);
      await settled(agent.request("_dragoman/barrier", {}).response);
      const after = agent.received.slice(before);
      // Another prompt of this connection may have used the same ids.
      const start = agent.frames.length;
      const ids = ["a", "7", -1, 0, call.id ?? 1];
      const echoes = await Promise.all(
        ids.map(async (id) => ({
          id,
          answer: await settled(agent.request("_dragoman/echo", {}, id).response),
        })),
      );
      await settled(agent.request("_dragoman/barrier", {}).response);
      return { custom, plain, after, echoes, start };
    });
    const { seen, problem, agent } = played;
    if (!seen || !agent) {
      for (const id of unknownMethods.ids) check.untested(id, problem);
      return;
    }
    const silent = [seen.custom, seen.plain].includes(undefined);
    if (silent) {
      const expected = "a request with an unknown method is answered, best with -32601";
      check.fail("DRC-RPC-01", expected, "there was no answer");
    } else {
      const answers = [seen.custom, seen.plain].map((answer) => describeResponse(answer ?? {}));
      check.pass("DRC-RPC-01", answers.join("; "));
    }
    const stray = seen.after.filter(
      ({ json }) => json && !("method" in json) && !isBarrier(agent, json),
    );
    if (stray.length === 0) check.pass("DRC-RPC-02", "five notifications got no answer");
    else
      check.fail(
        "DRC-RPC-02",
        "a notification is never answered",
        "the client wrote an answer",
        stray,
      );
    judgeIds(check, agent, seen);
  },
};

/** Requests with certain ids, and the position before them. */
interface Echoes {
  readonly echoes: readonly {
    readonly id: number | string;
    readonly answer: JsonObject | undefined;
  }[];
  readonly start: number;
}

function judgeIds(
  check: Parameters<ClientCase["run"]>[0],
  agent: CheckingAgent,
  { echoes, start }: Echoes,
): void {
  const expected = "each request is answered once, with its id in the same type";
  for (const { id, answer } of echoes) {
    const answers = agent.answersTo(id, start);
    if (!answer || answers.length !== 1) {
      const count = answers.length;
      check.fail(
        "DRC-RPC-03",
        expected,
        `the request with id ${JSON.stringify(id)} got ${count} answers`,
        answers,
      );
      return;
    }
  }
  check.pass(
    "DRC-RPC-03",
    `requests with the ids ${echoes.map(({ id }) => JSON.stringify(id)).join(", ")} were answered once`,
  );
}

function isBarrier(agent: CheckingAgent, json: JsonObject): boolean {
  return agent.frames.some(
    (frame) =>
      frame.direction === "out" &&
      frame.json?.["method"] === "_dragoman/barrier" &&
      frame.json["id"] === json["id"],
  );
}

const badParams: ClientCase = {
  ids: ["DRC-RPC-04"],
  run: async (check) => {
    const { seen, problem } = await playTurn(check, async (agent) => {
      const { sessionId, capabilities } = agent;
      const tries: [string, JsonObject][] = [
        ["session/request_permission", { sessionId }],
        [
          "session/request_permission",
          { sessionId, toolCall: { toolCallId: "x" }, options: "all" },
        ],
      ];
      if (offeredFiles(capabilities).read)
        tries.push(["fs/read_text_file", { sessionId, path: 7 }]);
      if (offeredFiles(capabilities).write)
        tries.push(["fs/write_text_file", { sessionId, path: "/x" }]);
      if (offersTerminals(capabilities)) tries.push(["terminal/create", { sessionId, args: "x" }]);
      const answers = [];
      for (const [method, params] of tries) {
        const { id, response } = agent.requestOdd(method, params);
        answers.push({ id, method, answer: await settled(response) });
      }
      return { answers, agent };
    });
    if (!seen) return check.untested("DRC-RPC-04", problem);
    const wrong = seen.answers.find(({ answer }) => !answer || codeOf(answer) !== -32602);
    if (wrong) {
      const actual = wrong.answer ? describeResponse(wrong.answer) : "no answer";
      const frames = seen.agent.frames.filter(({ json }) => json?.["id"] === wrong.id);
      check.fail(
        "DRC-RPC-04",
        `${wrong.method} with bad params is answered with -32602`,
        actual,
        frames,
      );
    } else check.pass("DRC-RPC-04", `${seen.answers.length} requests with bad params got -32602`);
  },
};

const strayResponses: ClientCase = {
  ids: ["DRC-RPC-05"],
  run: async (check) => {
    const played = await playTurn(
      check,
      async (agent, call) => {
        await agent.sendOdd({ id: "never-sent", result: {} });
        await agent.sendOdd({ id: 424_242, error: { code: -32603, message: "stray" } });
        await agent.say("before-the-second-answer ");
        await agent.barrier();
        return call.id;
      },
      {
        scenario: {
          methods: {
            "session/close": async ({ agent, id }) => {
              await agent.sendOdd({ id, result: {} });
              await agent.sendOdd({ id, result: {} });
              return undefined;
            },
          },
        },
      },
    );
    if (played.seen === undefined)
      return check.fail("DRC-RPC-05", "stray answers are ignored", played.problem);
    const second = await check.play({
      turn: async (agent, { id }) => {
        await agent.say("hello-from-the-checking-agent");
        await agent.send({ id, result: { stopReason: "end_turn" } });
        await agent.send({ id, result: { stopReason: "refusal" } });
        return undefined;
      },
    });
    const trouble = turnProblem(check, played) ?? turnProblem(check, second);
    if (trouble === undefined)
      check.pass("DRC-RPC-05", "answers to nothing, and a second answer, changed nothing");
    else check.fail("DRC-RPC-05", "stray answers are ignored", trouble);
  },
};

const IN_FLIGHT = 100;

const inFlight: ClientCase = {
  ids: ["DRC-RPC-06"],
  run: async (check) => {
    const { seen, problem } = await playTurn(check, async (agent) => {
      const question = agent.request(
        "session/request_permission",
        permissionParams(agent, PERMISSION_OPTIONS),
      );
      const others = Array.from({ length: IN_FLIGHT }, () =>
        settled(agent.request("_dragoman/echo", {}).response),
      );
      const answers = await Promise.all(others);
      await settled(question.response);
      return answers.filter((answer) => answer !== undefined).length;
    });
    if (seen === undefined) return check.untested("DRC-RPC-06", problem);
    if (seen === IN_FLIGHT)
      check.pass("DRC-RPC-06", `${seen} requests next to a permission request were answered`);
    else
      check.fail("DRC-RPC-06", `all ${IN_FLIGHT} requests in flight are answered`, `${seen} were`);
  },
};

const CHUNKS = 60;

const order: ClientCase = {
  ids: ["DRC-RPC-07"],
  run: async (check) => {
    const id = "DRC-RPC-07";
    const text = await judgeChunks(check);
    const question = await judgeQuestion(check);
    const wrong = [text, question].find(({ isRight }) => isRight === false);
    const seen = [text, question].filter(({ isRight }) => isRight === true);
    if (wrong) check.fail(id, "messages are handled in the order of the wire", wrong.words);
    else if (seen.length > 0) check.pass(id, seen.map(({ words }) => words).join("; "));
    else check.untested(id, text.words);
  },
};

/** One side of the order; `isRight` is undefined if the client's output does not tell. */
interface OrderSeen {
  readonly isRight: boolean | undefined;
  readonly words: string;
}

/** Whether the last piece of an answer comes before its end. */
async function judgeChunks(check: ClientCheck): Promise<OrderSeen> {
  if (!check.baseline.showsText)
    return { isRight: undefined, words: "the client does not show the answer's text" };
  const pieces = Array.from({ length: CHUNKS }, (_, index) => `w${index}.`);
  const played = await check.play({
    turn: async (agent, { id }) => {
      const lines = pieces.map((text) => updateLine(agent, chunk(text)));
      // In one write with the answer, so that the client has no time between them.
      await agent.write(lines.join("") + agent.lineFor({ id, result: { stopReason: "end_turn" } }));
      return undefined;
    },
  });
  const shown = played.stdout.replaceAll(/\s/g, "");
  if (!played.end) return { isRight: false, words: "the client did not end in time" };
  if (shown.includes(pieces.join("")))
    return { isRight: true, words: `${CHUNKS} pieces were shown in order, all before the end` };
  const missing = pieces.filter((piece) => !shown.includes(piece)).length;
  const words =
    missing > 0
      ? `${missing} of ${CHUNKS} pieces were not shown`
      : "the pieces are in another order";
  return { isRight: false, words };
}

const CALL_TITLE = "Announced-call-of-the-check";
const OPTION_NAME = "Option-of-the-check";

/** Whether a tool call is shown before the question whether it may run. */
async function judgeQuestion(check: ClientCheck): Promise<OrderSeen> {
  const { stdout, stderr } = await playTurn(
    check,
    async (agent) => {
      const toolCallId = "check-announced";
      const call = { sessionUpdate: "tool_call", toolCallId, title: CALL_TITLE, kind: "execute" };
      const id = "check-question";
      const params = {
        sessionId: agent.sessionId,
        // The title is known from the tool call only.
        toolCall: { toolCallId },
        options: PERMISSION_OPTIONS.map((option) => ({
          ...option,
          name: `${OPTION_NAME} ${option.name}`,
        })),
      };
      const lines = [
        updateLine(agent, call),
        agent.lineFor({ id, method: "session/request_permission", params }),
      ];
      await agent.write(lines.join(""));
      await agent.barrier();
      await agent.notify("$/cancel_request", { requestId: id });
      await agent.barrier();
      return true;
    },
    { drive: check.has("ask") ? ["ask"] : [] },
  );
  for (const output of [stdout, stderr]) {
    const title = output.indexOf(CALL_TITLE);
    const question = output.indexOf(OPTION_NAME);
    if (question < 0 || title < 0) continue;
    return title < question
      ? { isRight: true, words: "a tool call was shown before its question" }
      : { isRight: false, words: "the question was shown before its tool call" };
  }
  return { isRight: undefined, words: "the client shows no questions" };
}

function chunk(text: string): JsonObject {
  return { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
}

function updateLine(agent: CheckingAgent, update: JsonObject): string {
  const { sessionId } = agent;
  return agent.lineFor({ method: "session/update", params: { sessionId, update } });
}

const withdrawn: ClientCase = {
  ids: ["DRC-RPC-08"],
  run: async (check) => {
    const drive = check.has("ask") ? (["ask"] as const) : [];
    const { seen, problem } = await playTurn(
      check,
      async (agent) => {
        const question = agent.request(
          "session/request_permission",
          permissionParams(agent, PERMISSION_OPTIONS),
        );
        await agent.notify("$/cancel_request", { requestId: question.id });
        await agent.notify("$/cancel_request", { requestId: "never-sent" });
        const answer = await settled(question.response);
        await agent.barrier();
        return { answer, answers: agent.answersTo(question.id) };
      },
      { drive },
    );
    if (!seen) return check.untested("DRC-RPC-08", problem);
    const expected = "a permission request that the agent withdraws is answered once";
    if (seen.answer && seen.answers.length === 1)
      check.pass("DRC-RPC-08", describeResponse(seen.answer), seen.answers);
    else check.fail("DRC-RPC-08", expected, `it got ${seen.answers.length} answers`, seen.answers);
  },
};

export const RPC_CASES: readonly ClientCase[] = [
  unknownMethods,
  badParams,
  strayResponses,
  inFlight,
  order,
  withdrawn,
];
