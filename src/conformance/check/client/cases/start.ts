import {
  asObject,
  isJsonObject,
  objectsField,
  pause,
  stringField,
  type JsonObject,
} from "../../../../base/index.ts";
import { Unmet } from "../../harness/errors.ts";
import { shown } from "../../harness/reply.ts";
import { type AgentFrame, paramsOf } from "../agent.ts";
import type { ClientCase, ClientCheck } from "../case.ts";
import { describePlayed, isReported, promptProblem, turnProblem } from "../play-turn.ts";
import { initialized, type Scenario } from "../scenario.ts";

/** An ordinary turn with an agent that offers nothing. */
const ordinary: ClientCase = {
  ids: ["DRC-INIT-01", "DRC-INIT-02", "DRC-PRM-01"],
  run: async (check) => {
    const played = await check.play({ capabilities: {} });
    const { agent } = played;
    const first = agent?.received[0];
    if (!agent || !first) throw new Unmet(promptProblem(played));
    judgeInitialize(check, first);
    judgeBlocks(check, agent.calls("session/prompt")[0], promptProblem(played));
    if (!check.has("image")) return;
    const files = { "check-image.png": PIXEL };
    const image = await check.play({ capabilities: {} }, { drive: ["image"], files });
    const [prompt] = image.agent?.calls("session/prompt") ?? [];
    if (prompt) judgeBlocks(check, prompt, "");
    else check.judge("DRC-PRM-01", true, "an image was not sent to an agent that takes none");
  },
};

function judgeInitialize(check: ClientCheck, first: AgentFrame): void {
  const { protocolVersion, clientCapabilities, clientInfo } = paramsOf(first);
  const isValid =
    first.json?.["method"] === "initialize" &&
    Number.isInteger(protocolVersion) &&
    (clientCapabilities === undefined || isJsonObject(clientCapabilities));
  const words = `the first message is ${shown(first.json?.["method"])}`;
  check.judge("DRC-INIT-01", isValid, words, `version ${shown(protocolVersion)}`, first);
  const info = asObject(clientInfo);
  const hasInfo = ["name", "version"].every((field) => stringField(info, field) !== undefined);
  check.judge("DRC-INIT-02", hasInfo, `clientInfo is ${shown(clientInfo)}`, first);
}

function judgeBlocks(check: ClientCheck, frame: AgentFrame | undefined, problem: string): void {
  const types = objectsField(paramsOf(frame), "prompt").map(({ type }) => String(type));
  if (types.length === 0) return check.untested("DRC-PRM-01", frame ? "an empty prompt" : problem);
  const isKept = types.every((type) => type === "text" || type === "resource_link");
  check.judge("DRC-PRM-01", isKept, `the prompt has ${types.join(", ")}`, frame);
}

const otherVersion: ClientCase = {
  ids: ["DRC-INIT-03"],
  run: async (check) => {
    for (const version of [0, 99]) {
      const played = await check.play(answeringInitialize({ protocolVersion: version }));
      if (!played.agent) throw new Unmet(promptProblem(played));
      const [opened] = played.agent.calls("session/new");
      const isKept = !opened && isReported(check, played);
      const words = opened ? "a session was opened" : describePlayed(played);
      if (!check.judge("DRC-INIT-03", isKept, `version ${version}`, words, opened)) return;
    }
  },
};

const ODD_ANSWERS: readonly (readonly [what: string, fields: JsonObject])[] = [
  [
    "unknown fields and capabilities",
    {
      agentCapabilities: { loadSession: true, unknownCapability: { deep: [1] } },
      unknownField: { a: 1 },
    },
  ],
  ["null as authMethods", { authMethods: null }],
  ["no authMethods", { authMethods: undefined }],
  ["a late answer", {}],
];

const lenient: ClientCase = {
  ids: ["DRC-INIT-04"],
  run: async (check) => {
    const { slowMs } = check;
    for (const [what, fields] of ODD_ANSWERS) {
      const scenario = answeringInitialize(fields, what === "a late answer" ? slowMs : 0);
      const played = await check.play(scenario, { limitMs: check.limitMs + slowMs });
      if (!played.agent) throw new Unmet(promptProblem(played));
      const trouble = turnProblem(check, played);
      if (!check.judge("DRC-INIT-04", !trouble, what, trouble ?? "the turn worked")) return;
    }
    const failing = await check.play({
      methods: { initialize: () => ({ error: { code: -32603, message: "broken-on-purpose" } }) },
    });
    check.judge("DRC-INIT-04", isReported(check, failing), "an error", describePlayed(failing));
  },
};

function answeringInitialize(fields: JsonObject, delayMs = 0): Scenario {
  return {
    methods: {
      initialize: async () => {
        // It comes late on purpose; nothing is concluded from the time.
        await pause(delayMs);
        return { result: initialized(fields), isInvalid: true };
      },
    },
  };
}

/** A picture of one pixel. */
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

export const START_CASES: readonly ClientCase[] = [ordinary, otherVersion, lenient];
