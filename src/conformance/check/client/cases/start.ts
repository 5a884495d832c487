import { isJsonObject, objectField, objectsField, stringField } from "../../../../base/index.ts";
import type { AgentFrame } from "../agent.ts";
import type { ClientCase, ClientCheck } from "../case.ts";
import { isReported, lastLine, promptProblem, turnProblem } from "../observe.ts";
import { HELLO, initialized, type Scenario } from "../scenario.ts";

/** An ordinary turn with an agent that offers nothing. */
const ordinary: ClientCase = {
  ids: ["DRC-INIT-01", "DRC-INIT-02", "DRC-PRM-01"],
  run: async (check) => {
    const played = await check.play({ capabilities: {} });
    const { agent } = played;
    const first = agent?.received[0];
    if (!agent || !first) {
      for (const id of ordinary.ids) check.untested(id, promptProblem(played));
      return;
    }
    judgeInitialize(check, first);
    judgeBlocks(check, agent.calls("session/prompt")[0], promptProblem(played));
    if (!check.has("image")) return;
    const files = { "check-image.png": PIXEL };
    const image = await check.play({ capabilities: {} }, { drive: ["image"], files });
    const [prompt] = image.agent?.calls("session/prompt") ?? [];
    if (prompt) judgeBlocks(check, prompt, "");
    else check.pass("DRC-PRM-01", "an image was not sent to an agent that takes none");
  },
};

function judgeInitialize(check: ClientCheck, first: AgentFrame): void {
  const params = objectField(first?.json ?? {}, "params") ?? {};
  const version = params["protocolVersion"];
  const capabilities = params["clientCapabilities"];
  const isFirst = first?.json?.["method"] === "initialize";
  const isValid =
    isFirst &&
    Number.isInteger(version) &&
    (capabilities === undefined || isJsonObject(capabilities));
  if (isValid)
    check.pass("DRC-INIT-01", `the first message asks for version ${String(version)}`, [first]);
  else {
    const expected =
      "the first message is initialize, with an integer as version and an object of capabilities";
    check.fail("DRC-INIT-01", expected, "the first message is another, or lacks them", [first]);
  }
  const info = objectField(params, "clientInfo");
  const name = info && stringField(info, "name");
  if (name !== undefined && info && stringField(info, "version") !== undefined) {
    check.pass("DRC-INIT-02", `the client is ${name}`, [first]);
  } else {
    check.fail("DRC-INIT-02", "clientInfo with a name and a version", "there is none", [first]);
  }
}

function judgeBlocks(check: ClientCheck, frame: AgentFrame | undefined, problem: string): void {
  if (!frame) return check.untested("DRC-PRM-01", problem);
  const blocks = objectsField(objectField(frame.json ?? {}, "params") ?? {}, "prompt");
  const types = blocks.map((block) => String(block["type"]));
  const foreign = types.filter((type) => type !== "text" && type !== "resource_link");
  if (foreign.length > 0) {
    const expected = "only text and resource_link, because the agent offers nothing else";
    check.fail("DRC-PRM-01", expected, `the prompt has ${foreign.join(", ")}`, [frame]);
  } else if (types.length === 0) check.untested("DRC-PRM-01", "the prompt is empty");
  else check.pass("DRC-PRM-01", `the prompt has ${types.join(", ")}`, [frame]);
}

const otherVersion: ClientCase = {
  ids: ["DRC-INIT-03"],
  run: async (check) => {
    const id = "DRC-INIT-03";
    for (const version of [0, 99]) {
      const played = await check.play(answeringInitialize({ protocolVersion: version }));
      const { agent, end } = played;
      if (!agent) return check.untested(id, promptProblem(played));
      const [opened] = agent.calls("session/new");
      const expected = "the client closes the connection, tells the user, and opens no session";
      if (opened)
        return check.fail(id, expected, `it opened a session with version ${version}`, [opened]);
      if (!end) return check.fail(id, expected, "it kept the connection open");
      if (!isReported(check, played)) {
        return check.fail(
          id,
          expected,
          `it ended with code ${end.code} as if nothing had happened`,
        );
      }
    }
    check.pass(id, "the client refused versions 0 and 99 with a message for the user");
  },
};

const lenient: ClientCase = {
  ids: ["DRC-INIT-04"],
  run: async (check) => {
    const id = "DRC-INIT-04";
    const odd: readonly [string, Scenario][] = [
      [
        "unknown fields and capabilities",
        answeringInitialize({
          agentCapabilities: { loadSession: true, unknownCapability: { deep: [1] } },
          unknownField: { a: 1 },
        }),
      ],
      ["null as authMethods", answeringInitialize({ authMethods: null })],
      ["no authMethods", answeringInitialize({ authMethods: undefined })],
      ["a late answer", answeringInitialize({}, check.slowMs)],
    ];
    for (const [what, scenario] of odd) {
      const limitMs = check.limitMs + check.slowMs;
      const played = await check.play(scenario, { limitMs });
      if (!played.agent) return check.untested(id, promptProblem(played));
      const problem =
        played.agent.calls("session/prompt").length === 0
          ? promptProblem(played)
          : turnProblem(check, played, HELLO);
      if (problem !== undefined) {
        return check.fail(id, `with ${what} in the answer to initialize, the turn works`, problem);
      }
    }
    const failing = await check.play({
      methods: { initialize: () => ({ error: { code: -32603, message: "broken-on-purpose" } }) },
    });
    if (!isReported(check, failing)) {
      return check.fail(
        id,
        "an error as the answer to initialize is reported",
        failing.end
          ? `the client ended with code ${failing.end.code}: ${lastLine(failing.stderr)}`
          : "it hangs",
      );
    }
    check.pass(id, "four unusual answers worked, and an error was reported");
  },
};

function answeringInitialize(fields: Readonly<Record<string, unknown>>, delayMs = 0): Scenario {
  return {
    methods: {
      initialize: async ({ agent, id }) => {
        await pause(delayMs);
        await agent.sendOdd({ id, result: initialized(fields) });
        return undefined;
      },
    },
  };
}

/** The answer comes late on purpose; nothing is concluded from the time. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** A picture of one pixel. */
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

export const START_CASES: readonly ClientCase[] = [ordinary, otherVersion, lenient];
