import {
  type ModelRequest,
  smallestOf,
  type Step,
  text,
  toolCall,
} from "../../../../model/index.ts";
import { asObject, type JsonObject, stringsField } from "../../../../wire/index.ts";
import {
  describeReply,
  isAnswered,
  needResult,
  type CallReply,
  shown,
} from "../../../harness/reply.ts";
import { type AgentCheck, evidence } from "../../agent-check.ts";
import { hasCapability } from "../../capabilities.ts";
import type { AgentCase } from "../../case.ts";
import { type HttpProbe, httpProbe } from "../mcp/http-probe.ts";
import { started, stdioProbe, type StdioProbe, wasListed } from "../mcp/probe.ts";
import { modelCase } from "../model-case.ts";
import { Stage } from "../stage.ts";
import { untilTrue } from "../wait.ts";

const stdio = modelCase({
  name: "mcp/stdio",
  ids: ["DRA-MCP-01", "DRA-MCP-02"],
  process: "fresh",
  run: async (check) => {
    const stage = await Stage.open(check, { capabilities: {} });
    const model = stage.needModel();
    const probe = await stdioProbe((await check.place()).root, "probe");
    const session = await stage.session({}, { mcpServers: [probe.config] });
    const before = model.calls.length;
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
          judgeStarted(check, stage, probe, await probe.events(), 0);
          return use(call) ?? searchFor(call) ?? text("There is no such tool.");
        },
        (call) => (wasOffered ? text("Done.") : (use(call) ?? text("There is no such tool."))),
        text("Done."),
      ],
    });
    const calls = model.calls.slice(before);
    const results = calls.flatMap(({ messages }) => messages.flatMap((one) => one.toolResults));
    const isCalled = results.some((result) => result.text.includes(probe.word));
    check.judge("DRA-MCP-02", isCalled, "the model called the tool and got its result", {
      expected: "the server's tool to be offered to the model, and its result in the conversation",
      actual: wasOffered
        ? `its result did not reach the model: ${shown(results.map((result) => result.text))}`
        : "no request to the model names the tool",
      frames: evidence(stage.link, turn.n, turn.end),
    });
  },
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

function judgeStarted(
  check: AgentCheck,
  { link }: Stage,
  { config, word }: StdioProbe,
  events: readonly JsonObject[],
  at: number,
): void {
  const start = started(events);
  const [, , , ...words] = stringsField(config, "args");
  const problem = !start
    ? "the server was not started"
    : shown(start["args"]) !== shown(words)
      ? `it got the arguments ${shown(start["args"])}`
      : start["probe"] !== word
        ? `it got the variable ${shown(start["probe"])}`
        : !wasListed(events)
          ? "its tools were not listed"
          : undefined;
  check.judge("DRA-MCP-01", problem === undefined, "started with its args and env, tools listed", {
    expected:
      "the server started with its args and env, and its tools listed by the first model call",
    actual: problem ?? "",
    frames: evidence(link, at),
  });
}

const trouble: AgentCase = {
  name: "mcp/trouble",
  ids: ["DRA-MCP-03"],
  process: "fresh",
  needs: "none",
  run: async (check) => {
    const stage = await Stage.open(check, { capabilities: {} });
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
    check.judge("DRA-MCP-03", opened.kind === "result", "a session in time", {
      expected: "a session, although some servers do not work",
      actual: describeReply(opened),
      frames: evidence(stage.link, opened),
    });
    if (opened.kind !== "result") return;
    await judgeAllConnected(check, stage, opened, [good, other]);
  },
};

/** All servers that work are connected, by the end of the first turn at the latest. */
async function judgeAllConnected(
  check: AgentCheck,
  stage: Stage,
  opened: CallReply,
  probes: readonly StdioProbe[],
): Promise<void> {
  const listed = async (): Promise<readonly boolean[]> =>
    Promise.all(probes.map(async (probe) => wasListed(await probe.events())));
  const areAll = async (): Promise<boolean> => (await listed()).every(Boolean);
  const { sessionId } = needResult(opened, "session/new failed");
  const session = { id: String(sessionId), cwd: "", result: {} };
  // Servers may be connected when the first turn needs them, however the turn ends.
  const { end, n } = await stage.turn(session, { limitMs: 2 * check.pace.turnMs });
  check.judge("DRA-MCP-03", isAnswered(end), `the first turn: ${describeReply(end)}`, {
    expected: "an answer to the first prompt, although some servers do not work",
    actual: describeReply(end),
    frames: evidence(stage.link, n, end),
  });
  await untilTrue(areAll, stage.model ? check.pace.answerMs : check.pace.quietMs);
  const states = await listed();
  if (!states.includes(true) && !stage.model) {
    check.untested("DRA-MCP-03", "without a model, no server was connected");
    return;
  }
  check.judge("DRA-MCP-03", states.every(Boolean), "every server that works was connected", {
    expected: "every server that works connected, next to servers that do not",
    actual: `${states.filter(Boolean).length} of ${states.length} were asked for their tools`,
    frames: evidence(stage.link, opened),
  });
}

const remote: AgentCase = {
  name: "mcp/http",
  ids: ["DRA-MCP-04"],
  process: "fresh",
  needs: "none",
  run: async (check) => {
    const stage = await Stage.open(check, { capabilities: {} });
    const probes = await Promise.all(
      (["http", "sse"] as const).map(async (type) => ({
        ...(await httpProbe(type, `over-${type}`)),
        isAdvertised: hasCapability(check.capabilities, `mcpCapabilities.${type}`),
      })),
    );
    try {
      const advertised = probes.filter(({ isAdvertised }) => isAdvertised);
      if (advertised.length > 0) await judgeConnected(check, stage, advertised);
      const others = probes.filter(({ isAdvertised }) => !isAdvertised);
      for (const probe of others) await judgeUnadvertised(check, stage, probe);
    } finally {
      await Promise.all(probes.map((probe) => probe.close()));
    }
  },
};

async function judgeConnected(
  check: AgentCheck,
  stage: Stage,
  probes: readonly HttpProbe[],
): Promise<void> {
  const session = await stage.session({}, { mcpServers: probes.map(({ config }) => config) });
  if (stage.model) await stage.turn(session);
  await untilTrue(
    () => probes.every(({ asked }) => asked.some(({ method }) => method === "tools/list")),
    stage.model ? check.pace.answerMs : check.pace.quietMs,
  );
  for (const probe of probes) judgeRemote(check, stage, probe);
}

/** A transport that is not advertised is refused, or used all the same, but not dropped in silence. */
async function judgeUnadvertised(
  check: AgentCheck,
  stage: Stage,
  { config, asked }: HttpProbe,
): Promise<void> {
  const params = { cwd: await check.workspace(), mcpServers: [config] };
  const opened = await stage.link.request("session/new", params);
  if (opened.kind === "result" && stage.model) {
    const { sessionId } = needResult(opened, "session/new failed");
    await stage.turn({ id: String(sessionId), cwd: params.cwd, result: {} });
  } else await stage.link.barrier();
  const isKept = opened.kind === "error" || asked.length > 0;
  // The advertised transports are the greater part of the requirement.
  if (isKept && check.verdicts.get("DRA-MCP-04")?.status === "untested") return;
  const what = `a server over ${String(config["type"])}, which is not advertised`;
  check.judge("DRA-MCP-04", isKept, `${what}: ${describeReply(opened)}`, {
    expected: `an error for ${what}`,
    actual:
      opened.kind === "result"
        ? "a session, without a connection to the server"
        : describeReply(opened),
    frames: evidence(stage.link, opened),
    level: "WARN",
  });
}

function judgeRemote(check: AgentCheck, stage: Stage, { asked, config }: HttpProbe): void {
  if (asked.length === 0 && !stage.model) {
    check.untested("DRA-MCP-04", "no server was connected before the first turn");
    return;
  }
  const isListed = asked.some(({ method }) => method === "tools/list");
  const isComplete = asked.every(({ hasHeader }) => hasHeader);
  check.judge("DRA-MCP-04", isListed && isComplete, `${config.name}: ${asked.length} requests`, {
    expected: `the server ${config.name} connected, with its headers in every request`,
    actual:
      asked.length === 0
        ? "it was not connected"
        : isComplete
          ? "its tools were not listed"
          : "a request lacks the headers",
    frames: [],
  });
}

const again = modelCase({
  name: "mcp/load",
  ids: ["DRA-MCP-05"],
  process: "fresh",
  run: async (check) => {
    const methods = [
      ["session/load", "loadSession"],
      ["session/resume", "sessionCapabilities.resume"],
    ].filter(([, capability = ""]) => hasCapability(check.capabilities, capability));
    if (methods.length === 0) {
      check.skip("DRA-MCP-05", "the agent advertises neither load nor resume");
      return;
    }
    const first = await Stage.open(check, { capabilities: {} });
    first.needModel();
    const session = await first.session();
    await first.turn(session);
    await first.leave();
    for (const [method = ""] of methods) {
      await check.run.subject.recipe?.beforeLoad?.((await check.place()).home);
      const stage = await Stage.open(check, { capabilities: {} });
      const probe = await stdioProbe((await check.place()).root, method.replace("session/", "on-"));
      const params = { sessionId: session.id, cwd: session.cwd, mcpServers: [probe.config] };
      const reply = await stage.link.request(method, params);
      if (reply.kind !== "result") continue;
      await stage.turn(session);
      const isListed = wasListed(await probe.events());
      check.judge("DRA-MCP-05", isListed, method, {
        expected: `the servers of ${method} connected by the end of the next turn`,
        actual: started(await probe.events()) ? "its tools were not listed" : "it was not started",
        frames: evidence(stage.link, reply),
      });
      await stage.leave();
    }
  },
});

export const mcpCases: readonly AgentCase[] = [stdio, trouble, remote, again];
