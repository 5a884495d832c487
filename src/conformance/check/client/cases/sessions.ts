import { isAbsolute } from "node:path";
import {
  isJsonObject,
  objectField,
  objectsField,
  stringField,
  type JsonObject,
} from "../../../../base/index.ts";
import { NotApplicable, Unmet } from "../../harness/errors.ts";
import { shown } from "../../harness/reply.ts";
import { textChunk, type AgentFrame, type CheckingAgent, paramsOf } from "../agent.ts";
import { type ClientCase, type ClientCheck, needText } from "../case.ts";
import {
  describePlayed,
  isReported,
  playCalling,
  promptProblem,
  turnProblem,
  unusualTurnCase,
} from "../play-turn.ts";
import { HELLO, STORED_SESSION, type CallHandler, type Scenario } from "../scenario.ts";
import { firstFault } from "../../verdicts.ts";

const STDIO = { name: "check-stdio", command: "true", args: ["--check", "a b"] } as const;
const VARIABLE = { name: "CHECK_SERVER", value: "its value" };
const REMOTE = [
  { type: "http", name: "check-http", url: "http://127.0.0.1:9/mcp" },
  { type: "sse", name: "check-sse", url: "http://127.0.0.1:9/sse" },
] as const;

const CONFIGURED = [{ ...STDIO, env: { [VARIABLE.name]: VARIABLE.value } }, ...REMOTE];

/**
 * The file that the entry `mcp` of a driver gives to the client. Most clients use the first of the two
 * forms. The second is that of settings with a list, such as our own.
 */
const SERVERS_FILE = "check-mcp.json";
const SERVERS = {
  mcpServers: Object.fromEntries(CONFIGURED.map(({ name, ...server }) => [name, server])),
  mcp_servers: CONFIGURED,
};

/** MCP servers reach the agent, in their form, and only if it can use them. */
const servers: ClientCase = {
  ids: ["DRC-SES-01"],
  run: async (check) => {
    const judge = (
      frame: AgentFrame | undefined,
      fault: string | undefined,
      what: string,
    ): boolean =>
      check.judge(
        "DRC-SES-01",
        !fault,
        what,
        fault ?? `cwd ${shown(paramsOf(frame)["cwd"])}`,
        frame,
      );
    const plain = await playCalling(check, "session/new", { capabilities: {} });
    if (!judge(plain.call, sessionFault(plain.call, []), "an ordinary session")) return;
    if (!check.has("mcp")) return;
    for (const transports of [[], ["http"], ["http", "sse"]] as const) {
      const mcpCapabilities = Object.fromEntries(transports.map((name) => [name, true]));
      const { agent } = await check.play(
        { capabilities: transports.length === 0 ? {} : { mcpCapabilities } },
        { drive: ["mcp"], files: { [SERVERS_FILE]: JSON.stringify(SERVERS) } },
      );
      const [frame] = agent?.calls("session/new") ?? [];
      // A client may refuse to go on without a server that its user wants.
      if (!frame && transports.length < 2) continue;
      const fault = frame ? configuredFault(frame, transports) : "no session was opened";
      if (!judge(frame, fault, `to an agent with ${["stdio", ...transports].join(", ")}`)) return;
    }
  },
};

/** Why the params of `session/new` are wrong for an agent with these transports besides stdio. */
function sessionFault(frame: AgentFrame, transports: readonly string[]): string | undefined {
  const params = paramsOf(frame);
  const cwd = stringField(params, "cwd");
  if (cwd === undefined || !isAbsolute(cwd)) return `cwd is ${shown(params["cwd"])}`;
  if (!Array.isArray(params["mcpServers"])) return "mcpServers is missing";
  const bad = objectsField(params, "mcpServers").find(
    (server) => !isStdio(server) && !isRemote(server, transports),
  );
  return bad && `a server is ${shown(bad)}`;
}

/** Why the servers that the client was given did not reach the agent. */
function configuredFault(frame: AgentFrame, transports: readonly string[]): string | undefined {
  const fault = sessionFault(frame, transports);
  if (fault !== undefined) return fault;
  const sent = objectsField(paramsOf(frame), "mcpServers");
  const stdio = sent.find(({ name }) => name === STDIO.name);
  if (!stdio) return "the stdio server is missing";
  const hasVariable = objectsField(stdio, "env").some(
    ({ name, value }) => name === VARIABLE.name && value === VARIABLE.value,
  );
  const hasArgs = JSON.stringify(stdio["args"]) === JSON.stringify(STDIO.args);
  return hasArgs && hasVariable ? undefined : `the stdio server is ${shown(stdio)}`;
}

function isStdio(server: JsonObject): boolean {
  return !("type" in server) && Array.isArray(server["args"]) && Array.isArray(server["env"]);
}

function isRemote(server: JsonObject, transports: readonly string[]): boolean {
  const { type, url, headers } = server;
  return (
    typeof type === "string" &&
    transports.includes(type) &&
    typeof url === "string" &&
    Array.isArray(headers) &&
    headers.every((header) => isJsonObject(header))
  );
}

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
    const scenario = { capabilities: {} };
    const plain = await check.play(scenario);
    const loading = check.has("load") ? await check.play(scenario, { drive: ["load"] }) : undefined;
    const wrong = [plain, loading]
      .flatMap((played) => played?.agent?.received ?? [])
      .find(
        (frame) =>
          GATED.includes(String(frame.json?.["method"])) ||
          (frame.json?.["method"] === "session/new" &&
            paramsOf(frame)["additionalDirectories"] !== undefined),
      );
    if (!wrong && !plain.agent?.calls("session/new").length) throw new Unmet(promptProblem(plain));
    const used = wrong ? shown(wrong.json?.["method"]) : "nothing";
    check.judge("DRC-SES-02", !wrong, `it used ${used} that the agent does not offer`, wrong);
  },
};

const TERMINAL_METHOD = { id: "log-in-here", name: "Log in", type: "terminal", args: ["login"] };
const AGENT_METHOD = { id: "log-in-there", name: "Log in with the agent" };

const signIn: ClientCase = {
  ids: ["DRC-SES-04"],
  run: async (check) => {
    for (const authMethods of [[TERMINAL_METHOD], [AGENT_METHOD, TERMINAL_METHOD]]) {
      const played = await playCalling(check, "session/new", {
        authMethods,
        methods: {
          "session/new": () => ({ error: { code: -32_000, message: "authentication required" } }),
          authenticate: () => ({ error: { code: -32_000, message: "authentication failed" } }),
        },
      });
      const wrong = played.agent
        .calls("authenticate")
        .find((frame) => paramsOf(frame)["methodId"] !== AGENT_METHOD.id);
      const isKept = !wrong && isReported(check, played);
      const offer = `offered ${authMethods.map(({ id }) => id).join(", ")}`;
      const words = wrong ? "another method was used" : describePlayed(played);
      if (!check.judge("DRC-SES-04", isKept, offer, words, wrong)) return;
    }
  },
};

const STRAY = "text-of-an-unknown-session";
const COMMANDS = {
  sessionUpdate: "available_commands_update",
  availableCommands: [{ name: "check", description: "Checks" }],
};

const earlyUpdates = unusualTurnCase(
  {
    id: "DRC-SES-05",
    what: "updates before the session, and of an unknown one",
    scenario: {
      methods: {
        "session/new": async ({ agent }) => {
          await agent.update(COMMANDS);
          return { result: { sessionId: agent.sessionId } };
        },
      },
    },
    faults: ({ stdout }) => [stdout.includes(STRAY) && "text of the unknown session was shown"],
  },
  async (agent) => {
    await agent.update(textChunk(STRAY), "unknown-session");
    await agent.barrier();
  },
);

const CURSORS = ["page two/=?&+", "p3"];

const list: ClientCase = {
  ids: ["DRC-SES-08"],
  needs: ["list"],
  run: async (check) => {
    const { agent } = await playCalling(
      check,
      "session/list",
      {
        methods: {
          "session/list": ({ agent: { folder }, params }) => {
            const page = CURSORS.indexOf(stringField(params, "cursor") ?? "") + 1;
            const nextCursor = CURSORS[page];
            const session = {
              sessionId: `listed-${page}`,
              cwd: stringField(params, "cwd") ?? folder,
              title: `Listed ${page}`,
              updatedAt: "2026-01-01T00:00:00Z",
            };
            const cursor = nextCursor === undefined ? {} : { nextCursor };
            return { result: { sessions: [session], ...cursor } };
          },
        },
      },
      { drive: ["list"] },
    );
    const calls = agent.calls("session/list");
    const cursors = calls.map((frame) => paramsOf(frame)["cursor"] ?? null);
    const wanted = [null, ...CURSORS];
    const isRight =
      cursors.every((cursor, index) => cursor === wanted[index]) && cursors.length <= wanted.length;
    if (isRight && cursors.length < wanted.length)
      throw new Unmet(`the client read only ${cursors.length} of ${wanted.length} pages`);
    check.judge("DRC-SES-08", isRight, `the cursors were ${shown(cursors)}`, calls);
  },
};

/** Modes as an agent lists them. */
const MODES = {
  currentModeId: "m-ask",
  availableModes: [
    { id: "m-ask", name: "Ask" },
    { id: "m-code", name: "Code" },
  ],
};

function select(fields: JsonObject, values: readonly (readonly [string, string])[]): JsonObject {
  const options = values.map(([value, name]) => ({ value, name }));
  return { type: "select", currentValue: values[0]?.[0], options, ...fields };
}

/** Options as an agent lists them. */
const OPTIONS: readonly JsonObject[] = [
  select({ id: "c-model", name: "Model", category: "model" }, [
    ["v-small", "Small"],
    ["v-large", "Large"],
  ]),
];
const SWITCH: JsonObject = { id: "c-fast", name: "Fast", type: "boolean", currentValue: false };

/** A setting that the driver makes the client change. */
interface Setting {
  readonly drive: "option" | "mode";
  readonly values: Readonly<Record<string, string>>;
  /** The modes or options that the agent lists. */
  readonly session: JsonObject;
  /** The params that set it. Undefined if the agent does not list it, so that nothing may be sent. */
  readonly wanted?: JsonObject | undefined;
}

function mode(name: string, wanted?: JsonObject): Setting {
  return { drive: "mode", values: { mode: name }, session: { modes: MODES }, wanted };
}

function option(
  id: string,
  value: string,
  wanted?: JsonObject,
  configOptions: readonly JsonObject[] = OPTIONS,
): Setting {
  return { drive: "option", values: { option: id, value }, session: { configOptions }, wanted };
}

/** A mode and a value of an option that are listed. */
const LISTED_MODE = mode("m-code", { modeId: "m-code" });
const LISTED_OPTION = option("c-model", "v-large", {
  configId: "c-model",
  value: "v-large",
});
const LISTED_SWITCH = option(
  "c-fast",
  "true",
  { configId: "c-fast", type: "boolean", value: true },
  [...OPTIONS, SWITCH],
);
const UNLISTED: readonly Setting[] = [
  option("c-model", "v-unlisted"),
  option("c-unlisted", "v-large"),
  mode("m-unlisted"),
];

/** The frames with which a client sets modes and options. */
function settingFrames(agent: CheckingAgent | undefined): readonly AgentFrame[] {
  return ["session/set_mode", "session/set_config_option"].flatMap(
    (method) => agent?.calls(method) ?? [],
  );
}

/** Whether a frame makes the requested change. */
function isSetting({ wanted = {} }: Setting, frame: AgentFrame): boolean {
  const params = paramsOf(frame);
  return Object.entries(wanted).every(([name, value]) => params[name] === value);
}

/** The settings that the driver can make this client change. */
function settingsFor(check: ClientCheck): readonly Setting[] {
  const session = objectField(check.baseline.capabilities, "session") ?? {};
  const hasSwitches = isJsonObject(objectField(session, "configOptions")?.["boolean"]);
  const listed = [LISTED_OPTION, LISTED_MODE, ...(hasSwitches ? [LISTED_SWITCH] : [])];
  const settings = [...listed, ...UNLISTED].filter(({ drive }) => check.has(drive));
  if (settings.length > 0) return settings;
  throw new NotApplicable('the driver has neither an entry "option" nor "mode"');
}

const listedOnly: ClientCase = {
  ids: ["DRC-SES-03"],
  run: async (check) => {
    const seen: AgentFrame[] = [];
    for (const setting of settingsFor(check)) {
      const { drive, values, session, wanted } = setting;
      const { agent } = await check.play({ session }, { drive: [drive], values });
      const frames = settingFrames(agent);
      const right = wanted && frames.find((frame) => isSetting(setting, frame));
      const wrong = wanted
        ? !right && frames[0]
        : frames.find(({ line }) => line.includes("-unlisted"));
      if (wrong) {
        const words = `asked to set ${shown(values)}, it sent ${shown(paramsOf(wrong))}`;
        check.judge("DRC-SES-03", false, words, wrong);
        return;
      }
      if (right) seen.push(right);
    }
    if (seen.length === 0) throw new Unmet("the client set nothing");
    const set = seen.map((frame) => shown(paramsOf(frame))).join(", ");
    check.judge("DRC-SES-03", true, `it set ${set}, and nothing that is unlisted`, seen);
  },
};

const optionsOverModes: ClientCase = {
  ids: ["DRC-UPD-06"],
  needs: ["mode"],
  run: async (check) => {
    const modeOption = select(
      { id: "c-mode", name: "Mode", category: "mode" },
      MODES.availableModes.map(({ id, name }) => [id, name] as const),
    );
    const session = { modes: MODES, configOptions: [modeOption] };
    const { agent } = await check.play(
      { session },
      { drive: ["mode"], values: { mode: "m-code" } },
    );
    const [first] = settingFrames(agent);
    if (!first) throw new Unmet("the client set no mode");
    const method = String(first.json?.["method"]);
    check.judge("DRC-UPD-06", method === "session/set_config_option", `by ${method}`, first);
  },
};

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
    if (!check.judge(id, isReported(check, failed), "a failed load", describePlayed(failed)))
      return;
    const closed = await check.play({
      methods: { "session/close": () => MISSING, "session/delete": () => MISSING },
    });
    const trouble = turnProblem(check, closed);
    check.judge(id, !trouble, "-32002 as the answer to close", trouble ?? "did no harm");
  },
};

export const SESSION_CASES: readonly ClientCase[] = [
  servers,
  nothingOffered,
  listedOnly,
  optionsOverModes,
  signIn,
  earlyUpdates,
  list,
  load,
  lateReplay,
  missingSession,
];
