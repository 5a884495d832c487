import { stringField, type JsonObject } from "../../../../base/index.ts";
import { shown } from "../../harness/reply.ts";
import { textChunk, type CheckingAgent } from "../agent.ts";
import type { ClientCase, ClientCheck } from "../case.ts";
import {
  describeRun,
  firstFault,
  isReported,
  needText,
  paramsOf,
  playCalling,
  turnProblem,
} from "../observe.ts";
import { HELLO, STORED_SESSION, type CallHandler, type Scenario } from "../scenario.ts";
import {
  isSetting,
  LISTED_MODE,
  LISTED_OPTION,
  MODES,
  OPTIONS,
  settingFrames,
  type Setting,
} from "./sessions.ts";

const REPLAY = "replayed-text-of-an-earlier-turn";

/** An agent that loads a session with this result, or in its own way. */
function loading(answer: (agent: CheckingAgent) => Promise<JsonObject | null>): Scenario {
  const load: CallHandler = async ({ agent, params }) => {
    agent.sessionId = stringField(params, "sessionId") ?? agent.sessionId;
    return { result: await answer(agent), isInvalid: true };
  };
  return { capabilities: LOADS, methods: { "session/load": load } };
}

const LOADS: JsonObject = { loadSession: true, sessionCapabilities: { list: {} } };

const load: ClientCase = {
  ids: ["DRC-SES-06"],
  needs: ["load"],
  run: async (check) => {
    const id = "DRC-SES-06";
    for (const result of [{ modes: MODES, configOptions: OPTIONS }, {}, null]) {
      const scenario = loading(async (agent) => {
        const content = { type: "text", text: "an earlier question" };
        await agent.update({ sessionUpdate: "user_message_chunk", content });
        await agent.say(REPLAY);
        await agent.barrier();
        return result;
      });
      const played = await playCalling(check, "session/load", scenario, { drive: ["load"] });
      const { agent, call } = played;
      const answer = agent.frames.find(
        ({ direction, json }) => direction === "out" && json?.["id"] === call.json?.["id"],
      );
      const [prompt] = agent.calls("session/prompt");
      const isEarly = prompt !== undefined && (!answer || prompt.n < answer.n);
      const fault = firstFault(
        paramsOf(call)["sessionId"] !== STORED_SESSION && ["it loaded another session", call],
        isEarly && ["it prompted before the answer", prompt],
        turnProblem(check, played),
      );
      if (!check.judge(id, !fault, `the result ${shown(result)}`, fault ?? "a turn worked")) return;
    }
    for (const setting of [LISTED_MODE, LISTED_OPTION]) {
      if (!check.has(setting.drive) || !(await canSet(check, setting, false))) continue;
      const isKept = await canSet(check, setting, true);
      const words = `the ${setting.drive} of the answer was ${isKept ? "" : "not "}set`;
      if (!check.judge(id, isKept, words, shown(setting.values))) return;
    }
  },
};

/** Whether the client sets what the agent lists, in a new session or in one that it loads. */
async function canSet(check: ClientCheck, setting: Setting, isLoaded: boolean): Promise<boolean> {
  const { drive, values, session } = setting;
  const scenario = isLoaded ? loading(async () => session) : { capabilities: LOADS };
  const { agent } = await check.play(
    { ...scenario, session },
    { drive: isLoaded ? ["load", drive] : [drive], values },
  );
  return settingFrames(agent).some((frame) => isSetting(setting, frame));
}

const lateReplay: ClientCase = {
  ids: ["DRC-SES-07"],
  needs: ["load"],
  run: async (check) => {
    const { stdout } = await playCalling(
      check,
      "session/prompt",
      {
        capabilities: LOADS,
        methods: {
          "session/load": async ({ agent, params, id }) => {
            agent.sessionId = stringField(params, "sessionId") ?? agent.sessionId;
            // In one write, so that all of it is there before the client can prompt.
            const answer = agent.lineFor({ id, result: {} });
            await agent.write(answer + agent.updateLine(textChunk(REPLAY)));
            return undefined;
          },
        },
      },
      { drive: ["load"] },
    );
    needText(check);
    const at = stdout.indexOf(HELLO);
    const line = stdout.slice(0, Math.max(at, 0)).split("\n").at(-1) ?? "";
    const isKept = !line.includes(REPLAY);
    check.judge("DRC-SES-07", isKept, `the answer was shown ${isKept ? "without" : "with"} it`);
  },
};

const MISSING = { error: { code: -32_002, message: "session-was-not-found" } };

const missingSession: ClientCase = {
  ids: ["DRC-SES-09"],
  needs: ["load"],
  run: async (check) => {
    const id = "DRC-SES-09";
    const failed = await playCalling(
      check,
      "session/load",
      {
        capabilities: LOADS,
        methods: { "session/load": () => MISSING, "session/resume": () => MISSING },
      },
      { drive: ["load"] },
    );
    if (!check.judge(id, isReported(check, failed), "a failed load", describeRun(failed))) return;
    const closed = await check.play({
      methods: { "session/close": () => MISSING, "session/delete": () => MISSING },
    });
    const trouble = turnProblem(check, closed);
    check.judge(id, !trouble, "-32002 as the answer to close", trouble ?? "did no harm");
  },
};

export const LOAD_CASES: readonly ClientCase[] = [load, lateReplay, missingSession];
