import { objectField, stringField, type JsonObject } from "../../../wire/index.ts";
import type { CheckingAgent } from "../agent.ts";
import type { ClientCase, Played } from "../case.ts";
import { isReported, playTurn, promptProblem, turnProblem } from "../observe.ts";
import { HELLO, STORED_SESSION, type Scenario } from "../scenario.ts";

/** Methods that an agent without capabilities must never get. */
const GATED = [
  "session/load",
  "session/resume",
  "session/list",
  "session/close",
  "session/delete",
  "session/fork",
  "logout",
];

const nothingOffered: ClientCase = {
  ids: ["DRC-SES-02"],
  run: async (check) => {
    const id = "DRC-SES-02";
    const runs = [await check.play({ capabilities: {} })];
    if (check.has("load")) runs.push(await check.play({ capabilities: {} }, { drive: ["load"] }));
    for (const { agent } of runs) {
      const wrong = agent?.received.find(({ json }) => GATED.includes(String(json?.["method"])));
      const extra = agent
        ?.calls("session/new")
        .find(
          ({ json }) => objectField(json ?? {}, "params")?.["additionalDirectories"] !== undefined,
        );
      const frame = wrong ?? extra;
      if (frame) {
        const actual = `it sent ${wrong ? String(wrong.json?.["method"]) : "additionalDirectories"}`;
        return check.fail(id, "the client uses nothing that the agent does not offer", actual, [
          frame,
        ]);
      }
    }
    const [first] = runs;
    if (!first?.agent?.calls("session/new").length)
      return check.untested(id, promptProblem(first ?? runs[0] ?? never()));
    const how = runs.length > 1 ? "an ordinary turn and an attempt to load" : "an ordinary turn";
    check.pass(id, `${how} used nothing that was not offered`);
  },
};

function never(): Played {
  throw new Error("there is always one run");
}

const MODES = {
  currentModeId: "m-ask",
  availableModes: [
    { id: "m-ask", name: "Ask" },
    { id: "m-code", name: "Code" },
  ],
};
const OPTIONS = [
  {
    id: "c-model",
    name: "Model",
    category: "model",
    type: "select",
    currentValue: "v-small",
    options: [
      { value: "v-small", name: "Small" },
      { value: "v-large", name: "Large" },
    ],
  },
];

const listedOptions: ClientCase = {
  ids: ["DRC-SES-03"],
  needs: ["option"],
  run: async (check) => {
    const id = "DRC-SES-03";
    const session = { configOptions: OPTIONS };
    const good = await check.play(
      { session },
      { drive: ["option"], values: { option: "c-model", value: "v-large" } },
    );
    const bad = await check.play(
      { session },
      { drive: ["option"], values: { option: "c-model", value: "v-unlisted" } },
    );
    const [set] = good.agent?.calls("session/set_config_option") ?? [];
    const params = objectField(set?.json ?? {}, "params") ?? {};
    if (!set) return check.untested(id, "the client set no option");
    const expected = "only a listed option is set, to a listed value";
    if (params["configId"] !== "c-model" || params["value"] !== "v-large") {
      return check.fail(id, expected, "it set another option, or another value", [set]);
    }
    const unlisted = [
      ...(bad.agent?.calls("session/set_config_option") ?? []),
      ...(bad.agent?.calls("session/set_mode") ?? []),
    ].filter(({ json }) => objectField(json ?? {}, "params")?.["value"] === "v-unlisted");
    if (unlisted.length > 0)
      check.fail(id, expected, "it set a value that is not listed", unlisted);
    else check.pass(id, "a listed value was set, and one that is not listed was not", [set]);
  },
};

const optionsOverModes: ClientCase = {
  ids: ["DRC-UPD-06"],
  needs: ["mode"],
  run: async (check) => {
    const mode = {
      id: "c-mode",
      name: "Mode",
      category: "mode",
      type: "select",
      currentValue: "m-ask",
      options: MODES.availableModes.map(({ id, name }) => ({ value: id, name })),
    };
    const session = { modes: MODES, configOptions: [mode] };
    const { agent } = await check.play(
      { session },
      { drive: ["mode"], values: { mode: "m-code" } },
    );
    const byMode = agent?.calls("session/set_mode") ?? [];
    const byOption = agent?.calls("session/set_config_option") ?? [];
    if (byMode.length > 0) {
      const expected = "with both, the mode is set by session/set_config_option";
      check.fail("DRC-UPD-06", expected, "the client sent session/set_mode", byMode);
    } else if (byOption.length > 0)
      check.pass("DRC-UPD-06", "the mode was set as an option", byOption);
    else check.untested("DRC-UPD-06", "the client set no mode");
  },
};

const TERMINAL_METHOD = { id: "log-in-here", name: "Log in", type: "terminal", args: ["login"] };
const AGENT_METHOD = { id: "log-in-there", name: "Log in with the agent" };

const signIn: ClientCase = {
  ids: ["DRC-SES-04"],
  run: async (check) => {
    const id = "DRC-SES-04";
    const expected =
      "authenticate is sent only with an offered method that is not a terminal one, and the user is told";
    for (const methods of [[TERMINAL_METHOD], [AGENT_METHOD, TERMINAL_METHOD]]) {
      const played = await check.play({
        authMethods: methods,
        methods: {
          "session/new": () => ({ error: { code: -32_000, message: "authentication required" } }),
          authenticate: () => ({ error: { code: -32_000, message: "authentication failed" } }),
        },
      });
      const { agent } = played;
      if (!agent || agent.calls("session/new").length === 0)
        return check.untested(id, promptProblem(played));
      const wrong = agent
        .calls("authenticate")
        .find(({ json }) => objectField(json ?? {}, "params")?.["methodId"] !== AGENT_METHOD.id);
      if (wrong)
        return check.fail(id, expected, "the client sent authenticate with another method", [
          wrong,
        ]);
      if (!isReported(check, played)) {
        return check.fail(
          id,
          expected,
          played.end ? "the user cannot see that a login is needed" : "the client hangs",
        );
      }
    }
    check.pass(id, "a session that needs a login was reported to the user");
  },
};

const STRAY = "text-of-an-unknown-session";

const earlyUpdates: ClientCase = {
  ids: ["DRC-SES-05"],
  run: async (check) => {
    const id = "DRC-SES-05";
    const commands = {
      sessionUpdate: "available_commands_update",
      availableCommands: [{ name: "check", description: "Checks" }],
    };
    const played = await playTurn(
      check,
      async (agent) => {
        await agent.update(
          { sessionUpdate: "agent_message_chunk", content: { type: "text", text: STRAY } },
          "unknown-session",
        );
        await agent.barrier();
        return true;
      },
      {
        scenario: {
          methods: {
            "session/new": async ({ agent }) => {
              await agent.update(commands);
              return { result: { sessionId: agent.sessionId } };
            },
          },
        },
      },
    );
    const trouble = played.seen ? turnProblem(check, played) : played.problem;
    const expected =
      "updates before the answer to session/new, and for unknown sessions, do no harm";
    if (trouble !== undefined) check.fail(id, expected, trouble);
    else if (played.stdout.includes(STRAY))
      check.fail(id, expected, "the text of an unknown session was shown");
    else check.pass(id, "the turn completed, and the text of the unknown session was not shown");
  },
};

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
    for (const result of [{ modes: MODES }, null]) {
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
      if (objectField(loaded.json ?? {}, "params")?.["sessionId"] !== STORED_SESSION) {
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
    check.pass(id, "two sessions were loaded, and a turn worked in each");
  },
};

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

const CURSORS = ["page two/=?&+", "p3"];

const list: ClientCase = {
  ids: ["DRC-SES-08"],
  needs: ["list"],
  run: async (check) => {
    const id = "DRC-SES-08";
    const { agent } = await check.play(
      {
        methods: {
          "session/list": ({ agent: one, params }) => {
            const page = CURSORS.indexOf(stringField(params, "cursor") ?? "") + 1;
            const nextCursor = CURSORS[page];
            const cwd = stringField(params, "cwd") ?? one.folder;
            const sessions = [
              {
                sessionId: `listed-${page}`,
                cwd,
                title: `Listed ${page}`,
                updatedAt: "2026-01-01T00:00:00Z",
              },
            ];
            return { result: { sessions, ...(nextCursor === undefined ? {} : { nextCursor }) } };
          },
        },
      },
      { drive: ["list"] },
    );
    const calls = agent?.calls("session/list") ?? [];
    if (calls.length === 0) return check.untested(id, "the client sent no session/list");
    const cursors = calls.map(({ json }) => objectField(json ?? {}, "params")?.["cursor"] ?? null);
    const wanted = [null, ...CURSORS];
    const isRight =
      cursors.every((cursor, index) => cursor === wanted[index]) && cursors.length <= wanted.length;
    const expected = "each cursor is passed on as it is, and the last page ends the list";
    if (isRight && cursors.length === wanted.length)
      check.pass(id, `${cursors.length} pages were read`, calls);
    else if (isRight)
      check.untested(id, `the client read only ${cursors.length} of ${wanted.length} pages`);
    else check.fail(id, expected, `the cursors were ${JSON.stringify(cursors)}`, calls);
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

export const SESSION_CASES: readonly ClientCase[] = [
  nothingOffered,
  listedOptions,
  optionsOverModes,
  signIn,
  earlyUpdates,
  load,
  lateReplay,
  list,
  missingSession,
];
