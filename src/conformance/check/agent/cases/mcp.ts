import {
  type ModelRequest,
  smallestOf,
  type Step,
  text,
  toolCall,
} from "../../../scripted-model/index.ts";
import { asObject, stringsField } from "../../../../base/index.ts";
import { NotApplicable } from "../../harness/errors.ts";
import { type CallReply, isAnswered, needResult, shown } from "../../harness/reply.ts";
import type { AgentCheck } from "../agent-check.ts";
import { type AgentCase, agentCase, bareStageCase } from "../case.ts";
import { beforeLoad } from "../saved-sessions.ts";
import {
  type HttpProbe,
  httpProbe,
  started,
  stdioProbe,
  type StdioProbe,
  wasProbeListed,
} from "../stage/mcp-probes.ts";
import { Stage, type StageSession, toolResultsIn } from "../stage/stage.ts";
import { untilTrue } from "../stage/turn-facts.ts";

const stdio = bareStageCase("mcp/stdio", async (check, stage) => {
  stage.needModel();
  const probe = await stdioProbe((await check.place()).root, "probe");
  const session = await stage.session({}, { mcpServers: [probe.config] });
  let wasOffered = false;
  const use = (call: ModelRequest): Step | undefined => {
    const names = namesIn(call);
    wasOffered ||= names.length > 0;
    return names.length === 0 ? undefined : names.map((name) => toolCall(name, {}));
  };
  const turn = await stage.turn(session, {
    ending: [
      // The step is made when the model is called: by then the server must have been asked.
      async (call) => {
        await judgeStarted(check, probe);
        return use(call) ?? searchFor(call) ?? text("There is no such tool.");
      },
      (call) => (wasOffered ? text("Done.") : (use(call) ?? text("There is no such tool."))),
      text("Done."),
    ],
  });
  const results = toolResultsIn(turn.calls).map((result) => result.text);
  const isCalled = results.some((result) => result.includes(probe.word));
  const words = wasOffered
    ? `its result did not reach the model: ${shown(results)}`
    : "no request to the model names the tool";
  const kept = "the model called the tool and got its result";
  check.judge("DRA-MCP-02", isCalled, isCalled ? kept : words, turn.end.frames);
});

/** The names that a request gives the probe's tool, in the list of tools or in a text. */
function namesIn({ body }: ModelRequest): readonly string[] {
  const words = JSON.stringify(body).replaceAll(/\\./g, " ");
  return [...new Set(words.match(/[\w-]*probe_word/g))];
}

/** Some agents offer the tools of servers only after a search, by a tool for that. */
function searchFor({ tools }: ModelRequest): Step | undefined {
  const search = tools.find(({ name }) => /tool_?search|search_?tool/i.test(name));
  if (!search) return undefined;
  const schema = asObject(search.schema);
  return toolCall(search.name, { ...asObject(smallestOf(schema)), query: "secret word probe" });
}

/** MCP-01: by the first call of the model, the server was started rightly, and asked for its tools. */
async function judgeStarted(check: AgentCheck, probe: StdioProbe): Promise<void> {
  const { config, word } = probe;
  const seen = await probe.events();
  const start = started(seen);
  const [, , , ...args] = stringsField(config, "args");
  const isKept =
    shown(start?.["args"]) === shown(args) && start?.["probe"] === word && wasProbeListed(seen);
  const how = `started with the arguments ${shown(start?.["args"])} and the variable ${shown(start?.["probe"])}`;
  const words = start ? how : "the server was not started";
  check.judge(
    "DRA-MCP-01",
    isKept,
    words,
    `its tools were ${wasProbeListed(seen) ? "" : "not "}listed`,
  );
}

function sessionOf(opened: CallReply, cwd = ""): StageSession {
  const { sessionId } = needResult(opened, "session/new failed");
  return { id: String(sessionId), cwd, result: {} };
}

const trouble = bareStageCase("mcp/trouble", async (check, stage) => {
  const { root } = await check.place();
  const good = await stdioProbe(root, "good");
  const other = await stdioProbe(root, "other");
  const exits = await stdioProbe(root, "exits", "exits");
  const hangs = await stdioProbe(root, "hangs", "hangs");
  const missing = { name: "missing", command: "/no/such/program", args: [], env: [] };
  const mcpServers = [good.config, missing, exits.config, hangs.config, other.config];
  const params = { cwd: await check.workspace(), mcpServers };
  const limitMs = check.pace.turnMs;
  const opened = await stage.link.request("session/new", params, { limitMs });
  check.judge("DRA-MCP-03", opened.kind === "result", "session/new", opened);
  if (opened.kind !== "result") return;
  const listed = (): Promise<readonly boolean[]> =>
    Promise.all([good, other].map(async (probe) => wasProbeListed(await probe.events())));
  // Servers may be connected when the first turn needs them, however the turn ends.
  const { end } = await stage.turn(sessionOf(opened), { limitMs: 2 * limitMs });
  check.judge("DRA-MCP-03", isAnswered(end), "the first turn", end);
  await untilTrue(
    async () => (await listed()).every(Boolean),
    stage.model ? check.pace.answerMs : check.pace.quietMs,
  );
  const states = await listed();
  if (!states.includes(true) && !stage.model) {
    check.untested("DRA-MCP-03", "without a model, no server was connected");
    return;
  }
  const words = `${states.filter(Boolean).length} of ${states.length} servers that work were asked for their tools`;
  check.judge("DRA-MCP-03", states.every(Boolean), words, opened.frames);
});

const remote = bareStageCase("mcp/http", async (check, stage) => {
  const probes = await Promise.all(
    (["http", "sse"] as const).map(async (type) => ({
      ...(await httpProbe(type, `over-${type}`)),
      isAdvertised: check.advertises(`mcpCapabilities.${type}`),
    })),
  );
  try {
    const advertised = probes.filter(({ isAdvertised }) => isAdvertised);
    if (advertised.length > 0) await judgeConnected(stage, advertised);
    const others = probes.filter(({ isAdvertised }) => !isAdvertised);
    for (const probe of others) await judgeUnadvertised(stage, probe);
  } finally {
    await Promise.all(probes.map((probe) => probe.close()));
  }
});

function isListed({ asked }: HttpProbe): boolean {
  return asked.some(({ method }) => method === "tools/list");
}

async function judgeConnected(stage: Stage, probes: readonly HttpProbe[]): Promise<void> {
  const { check } = stage;
  const session = await stage.session({}, { mcpServers: probes.map(({ config }) => config) });
  if (stage.model) await stage.turn(session);
  const limitMs = stage.model ? check.pace.answerMs : check.pace.quietMs;
  await untilTrue(() => probes.every(isListed), limitMs);
  for (const probe of probes) {
    const { asked, config } = probe;
    if (asked.length === 0 && !stage.model) {
      check.untested("DRA-MCP-04", "no server was connected before the first turn");
      continue;
    }
    const bare = asked.filter(({ hasHeader }) => !hasHeader).length;
    const words = `${asked.length} requests, ${bare} without the headers, tools ${isListed(probe) ? "" : "not "}listed`;
    check.judge("DRA-MCP-04", isListed(probe) && bare === 0, config.name, words);
  }
}

/** A transport that is not advertised is refused, or used all the same, but not dropped in silence. */
async function judgeUnadvertised(stage: Stage, { config, asked }: HttpProbe): Promise<void> {
  const { check } = stage;
  const cwd = await check.workspace();
  const opened = await stage.link.request("session/new", { cwd, mcpServers: [config] });
  if (opened.kind === "result" && stage.model) await stage.turn(sessionOf(opened, cwd));
  else await stage.link.barrier();
  const isKept = opened.kind === "error" || asked.length > 0;
  // The advertised transports are the greater part of the requirement.
  if (isKept && check.get("DRA-MCP-04")?.status === "untested") return;
  const what = `a server over ${String(config["type"])}, which is not advertised`;
  check.judgeAsWarning("DRA-MCP-04", isKept, what, opened, `${asked.length} requests to it`);
}

const again = agentCase("mcp/load", async (check) => {
  const methods = [
    ["session/load", "loadSession"],
    ["session/resume", "sessionCapabilities.resume"],
  ].filter(([, capability = ""]) => check.advertises(capability));
  if (methods.length === 0) throw new NotApplicable("the agent advertises neither load nor resume");
  const first = await Stage.open(check, { capabilities: {} });
  first.needModel();
  const session = await first.session();
  await first.turn(session);
  await first.leave();
  const { root } = await check.place();
  for (const [method = ""] of methods) {
    await beforeLoad(check);
    const stage = await Stage.open(check, { capabilities: {} });
    const probe = await stdioProbe(root, method.replace("session/", "on-"));
    const params = { sessionId: session.id, cwd: session.cwd, mcpServers: [probe.config] };
    const reply = await stage.link.request(method, params);
    if (reply.kind !== "result") continue;
    await stage.turn(session);
    const events = await probe.events();
    const words = `the server was ${started(events) ? "" : "not "}started, its tools were ${wasProbeListed(events) ? "" : "not "}listed`;
    check.judge("DRA-MCP-05", wasProbeListed(events), method, words, reply.frames);
    await stage.leave();
  }
});

export const mcpCases: readonly AgentCase[] = [stdio, trouble, remote, again];
