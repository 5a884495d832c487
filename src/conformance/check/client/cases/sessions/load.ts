import { stringField, type JsonObject } from "../../../../../base/index.ts";
import type { CheckingAgent } from "../../agent.ts";
import type { ClientCase, ClientCheck } from "../../case.ts";
import { isReported, paramsOf, promptProblem, turnProblem } from "../../observe.ts";
import { HELLO, STORED_SESSION, type Scenario } from "../../scenario.ts";
import {
  isSetting,
  LISTED_MODE,
  LISTED_OPTION,
  MODES,
  OPTIONS,
  settingFrames,
  type Setting,
} from "./settings.ts";

const REPLAY = "replayed-text-of-an-earlier-turn";

/** Replays one exchange. */
async function replay(agent: CheckingAgent): Promise<void> {
  await agent.update({
    sessionUpdate: "user_message_chunk",
    content: { type: "text", text: "an earlier question" },
  });
  await agent.say(REPLAY);
}

function loading(
  answer: (agent: CheckingAgent) => Promise<JsonObject | null>,
): Scenario["methods"] {
  const load: NonNullable<Scenario["methods"]>[string] = async ({ agent, params, id }) => {
    agent.sessionId = stringField(params, "sessionId") ?? agent.sessionId;
    await agent.sendOdd({ id, result: await answer(agent) });
    return undefined;
  };
  return { "session/load": load };
}

const LOADS: JsonObject = { loadSession: true, sessionCapabilities: { list: {} } };

const load: ClientCase = {
  ids: ["DRC-SES-06"],
  needs: ["load"],
  run: async (check) => {
    const id = "DRC-SES-06";
    const expected =
      "the client takes the replay, prompts after the answer, and takes {} and null as the answer";
    for (const result of [{ modes: MODES, configOptions: OPTIONS }, {}, null]) {
      const methods = loading(async (agent) => {
        await replay(agent);
        await agent.barrier();
        return result;
      });
      const played = await check.play({ capabilities: LOADS, methods }, { drive: ["load"] });
      const { agent } = played;
      const [loaded] = agent?.calls("session/load") ?? [];
      if (!agent || !loaded)
        return check.untested(id, `the client sent no session/load: ${promptProblem(played)}`);
      if (paramsOf(loaded)["sessionId"] !== STORED_SESSION) {
        return check.fail(id, expected, "it loaded another session", [loaded]);
      }
      const answer = agent.frames.find(
        ({ direction, json }) => direction === "out" && json?.["id"] === loaded.json?.["id"],
      );
      const [prompt] = agent.calls("session/prompt");
      if (prompt && (!answer || prompt.n < answer.n))
        return check.fail(id, expected, "it prompted before the answer", [prompt]);
      const trouble = prompt ? turnProblem(check, played) : promptProblem(played);
      if (trouble !== undefined)
        return check.fail(id, expected, `with the result ${JSON.stringify(result)}: ${trouble}`);
    }
    const kept: string[] = [];
    for (const setting of [LISTED_MODE, LISTED_OPTION]) {
      const name = setting.drive;
      if (!check.has(name) || !(await canSet(check, setting, false))) continue;
      if (!(await canSet(check, setting, true))) {
        const what = `asked to set ${JSON.stringify(setting.values)} in a loaded session`;
        return check.fail(
          id,
          "the modes and options in the answer to session/load can be set",
          `${what}, the client did not, although it does in a new session`,
        );
      }
      kept.push(name);
    }
    const more =
      kept.length > 0 ? `, and the ${kept.join(" and ")} of the answer could be set` : "";
    check.pass(id, `three sessions were loaded, and a turn worked in each${more}`);
  },
};

/** Whether the client sets what the agent lists, in a new session or in one that it loads. */
async function canSet(check: ClientCheck, setting: Setting, isLoaded: boolean): Promise<boolean> {
  const { drive, values, session } = setting;
  const { agent } = await check.play(
    isLoaded
      ? { capabilities: LOADS, methods: loading(async () => session), session }
      : { capabilities: LOADS, session },
    { drive: isLoaded ? ["load", drive] : [drive], values },
  );
  return settingFrames(agent).some((frame) => isSetting(setting, frame));
}

const lateReplay: ClientCase = {
  ids: ["DRC-SES-07"],
  needs: ["load"],
  run: async (check) => {
    const id = "DRC-SES-07";
    const played = await check.play(
      {
        capabilities: LOADS,
        methods: {
          "session/load": async ({ agent, params, id: request }) => {
            agent.sessionId = stringField(params, "sessionId") ?? agent.sessionId;
            // In one write, so that all of it is there before the client can prompt.
            const update = {
              sessionUpdate: "agent_message_chunk",
              content: { type: "text", text: REPLAY },
            };
            const late = {
              method: "session/update",
              params: { sessionId: agent.sessionId, update },
            };
            await agent.write(agent.lineFor({ id: request, result: {} }) + agent.lineFor(late));
            return undefined;
          },
        },
      },
      { drive: ["load"] },
    );
    if (!check.baseline.showsText)
      return check.untested(id, "the client does not show the answer's text");
    if (!played.agent?.calls("session/prompt").length)
      return check.untested(id, promptProblem(played));
    const at = played.stdout.indexOf(HELLO);
    const line = played.stdout.slice(0, Math.max(at, 0)).split("\n").at(-1) ?? "";
    const expected =
      "text that is replayed after the answer to session/load is not part of the next answer";
    if (line.includes(REPLAY))
      check.fail(id, expected, "it was shown as the beginning of the answer");
    else check.pass(id, "the answer was shown without it");
  },
};

const missingSession: ClientCase = {
  ids: ["DRC-SES-09"],
  needs: ["load"],
  run: async (check) => {
    const id = "DRC-SES-09";
    const missing = { error: { code: -32_002, message: "session-was-not-found" } } as const;
    const failed = await check.play(
      {
        capabilities: LOADS,
        methods: { "session/load": () => missing, "session/resume": () => missing },
      },
      { drive: ["load"] },
    );
    if (!failed.agent?.calls("session/load").length)
      return check.untested(id, "the client sent no session/load");
    if (!isReported(check, failed)) {
      return check.fail(
        id,
        "a load that fails is reported",
        failed.end ? "the client said nothing" : "the client hangs",
      );
    }
    const closed = await check.play({
      methods: { "session/close": () => missing, "session/delete": () => missing },
    });
    const trouble = turnProblem(check, closed);
    if (trouble === undefined)
      check.pass(id, "a failed load was reported, and -32002 on close did no harm");
    else check.fail(id, "-32002 as the answer to session/close counts as done", trouble);
  },
};

export const LOAD_CASES: readonly ClientCase[] = [load, lateReplay, missingSession];
