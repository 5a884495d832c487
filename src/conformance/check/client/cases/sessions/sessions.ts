import { objectField, stringField } from "../../../../../base/index.ts";
import type { ClientCase, Played } from "../../case.ts";
import { isReported, playTurn, promptProblem, turnProblem } from "../../observe.ts";
import { LOAD_CASES } from "./load.ts";
import { servers } from "./mcp-servers.ts";
import { SETTING_CASES } from "./settings.ts";

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

const TERMINAL_METHOD = { id: "log-in-here", name: "Log in", type: "terminal", args: ["login"] };
const AGENT_METHOD = { id: "log-in-there", name: "Log in with the agent" };

const signIn: ClientCase = {
  ids: ["DRC-SES-04"],
  run: async (check) => {
    const id = "DRC-SES-04";
    const expected =
      "authenticate is sent only with an offered method that is not a terminal one, and the client tells the user why";
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

export const SESSION_CASES: readonly ClientCase[] = [
  servers,
  nothingOffered,
  ...SETTING_CASES,
  signIn,
  earlyUpdates,
  ...LOAD_CASES,
  list,
];
