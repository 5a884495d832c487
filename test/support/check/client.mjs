// A client that keeps every rule, for the tests of `dragoman check client`. With `--defect NAME` it breaks
// one of them. Usage:
//
//   node client.mjs --agent COMMAND [options] PROMPT
import process from "node:process";
import { readFileSync } from "node:fs";
import { AgentProcess } from "./client/agent-process.mjs";
import { answerRequest } from "./client/requests.mjs";
import { options, has, say, tell } from "./client/options.mjs";
import { Answer } from "./client/answer.mjs";

const CANCEL_GRACE_MS = 1000;
const EXIT_CODES = {
  end_turn: 0,
  max_tokens: 11,
  max_turn_requests: 12,
  refusal: 13,
  cancelled: 14,
};

/** The state that the handlers share. */
const state = {
  sessionId: undefined,
  inTurn: false,
  isCancelled: false,
  version: 1,
  /** Permission requests that wait for a person. */
  open: new Map(),
  /** The titles of tool calls, by their ids. */
  titles: new Map(),
  onIdle: undefined,
};
const answer = new Answer(state);
const agent = new AgentProcess(options.agent, {
  request: (method, params, id) => answerRequest(state, agent, method, params, id),
  notification: (method, params) => onNotification(method, params),
});
let cancelling;
process.on("SIGINT", () => cancel());
if (!has("no-sigterm")) process.on("SIGTERM", () => void finish(143));
else process.on("SIGTERM", () => {});
void agent.died.then((how) => {
  if (agent.isEnding) return;
  const output = has("hides-stderr") ? "" : agent.stderr.slice(-200);
  const code = has("hides-code") ? "an error" : (how.code ?? how.signal);
  tell(`the agent ended with ${code}: ${output}`);
  if (has("dies-silently-in-cancel") && state.isCancelled) void finish(0);
  else void finish(has("silent-death") ? 0 : 8);
});

function onNotification(method, params) {
  if (has("questions-first") && params?.update?.sessionUpdate === "tool_call")
    setTimeout(() => answer.take(params));
  else if (method === "session/update") answer.take(params);
  else if (method === "$/cancel_request") withdraw(params?.requestId);
  else if (method === "elicitation/complete" && has("complete-fatal"))
    throw new Error("unknown elicitation");
  else if (method !== "elicitation/complete" && has("answers-notifications")) {
    agent.write({ id: null, error: { code: -32601, message: "unknown notification" } });
  }
}

function withdraw(id) {
  const open = state.open.get(id);
  if (open) open();
  if (has("answers-withdrawn") && id !== "never-sent") {
    agent.write({ id, error: { code: -32800, message: "cancelled" } });
  }
}

function cancel() {
  if (!state.inTurn || state.isCancelled) return;
  state.isCancelled = true;
  agent.notify("session/cancel", { sessionId: state.sessionId });
  if (has("cancel-twice")) agent.notify("session/cancel", { sessionId: state.sessionId });
  if (!has("forgets-questions"))
    for (const answerCancelled of state.open.values()) answerCancelled();
  if (has("leaves-at-cancel")) void finish(14);
  if (!has("waits-forever")) cancelling = setTimeout(() => void finish(14), CANCEL_GRACE_MS);
}

if (options.timeout !== undefined && !has("no-limit")) {
  setTimeout(() => {
    tell("the agent does not answer");
    void finish(9);
  }, Number(options.timeout)).unref();
}

async function finish(code) {
  clearTimeout(cancelling);
  await agent.end();
  process.exit(code);
}

function capabilities() {
  const fs = { readTextFile: !options.noFs, writeTextFile: !options.noFs };
  const elicitation = has("advertises-url") ? { form: {}, url: {} } : { form: {} };
  const session = { configOptions: { boolean: {} } };
  return { fs, terminal: !options.noTerminal, elicitation, session };
}

async function initialize() {
  const info = { name: "check-client", version: "1.0.0" };
  const v1 = {
    protocolVersion: has("no-version") ? "1" : 1,
    clientCapabilities: capabilities(),
    ...(has("no-info") ? {} : { clientInfo: info }),
  };
  const params =
    options.protocol === "2"
      ? { ...v1, protocolVersion: 2, info, capabilities: { elicitation: { form: {} } } }
      : v1;
  const result = await agent.request("initialize", params);
  const version = result.protocolVersion;
  if (has("v2-only") && version !== 2) throw new Error("the agent does not speak version 2");
  const wanted = options.protocol === "2" ? [1, 2] : [1];
  if (!wanted.includes(version) && !has("any-version"))
    throw new Error(`the agent speaks version ${version}`);
  if (has("needs-auth-methods")) result.authMethods.map(({ id }) => id);
  state.version = version === 2 ? 2 : 1;
  return result;
}

async function openSession({ agentCapabilities = {}, authMethods }) {
  const cwd = process.cwd();
  const common = {
    cwd,
    mcpServers: mcpServers(agentCapabilities),
    ...(has("extra-key") ? { extraKey: 1 } : {}),
  };
  if (has("always-lists")) await agent.request("session/list", {}).catch(() => {});
  const canLoad = state.version === 2 || agentCapabilities.loadSession === true;
  if (options.load !== undefined && canLoad) return load(common);
  try {
    const { mcpServers: _servers, ...bare } = common;
    const opened = await agent.request("session/new", has("v2-forms") ? bare : common);
    state.sessionId = opened.sessionId;
    return opened;
  } catch (error) {
    if (error.code === -32000 && has("terminal-authenticate")) {
      await agent.request("authenticate", { methodId: authMethods[0].id });
    }
    throw error;
  }
}

/** The servers of the file that the agent can use. */
function mcpServers({ mcpCapabilities = {} }) {
  if (has("http-servers"))
    return [{ type: "http", name: "x", url: "http://127.0.0.1:9/", headers: [] }];
  if (options.mcp === undefined) return [];
  const configured = JSON.parse(readFileSync(options.mcp, "utf8")).mcpServers;
  return Object.entries(configured)
    .map(([name, { env, ...server }]) =>
      server.type === undefined
        ? {
            name,
            ...server,
            env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
          }
        : { name, ...server, headers: [] },
    )
    .filter(({ type }) => {
      if (type === undefined) return !has("stdio-on-demand") || mcpCapabilities.http === true;
      return mcpCapabilities[type] === true || has("any-transport");
    })
    .map((server) => ({
      ...server,
      ...(has("typed-stdio") && server.type === undefined ? { type: "stdio" } : {}),
      ...(has("drops-server-env") && server.env ? { env: [] } : {}),
    }));
}

async function load(common) {
  state.sessionId = options.load;
  const method = state.version === 2 ? "session/resume" : "session/load";
  const replay = state.version === 2 ? { replayFrom: { type: "start" } } : {};
  const loaded = agent.request(method, { sessionId: options.load, ...common, ...replay });
  if (has("prompt-early")) return {};
  try {
    const result = await loaded;
    if (has("needs-load-result")) Object.keys(result);
    return has("forgets-loaded-modes") ? {} : (result ?? {});
  } catch (error) {
    if (!has("load-error-ignored")) throw error;
    const opened = await agent.request("session/new", common);
    state.sessionId = opened.sessionId;
    return opened;
  }
}

async function applySettings({ configOptions = [], modes }) {
  for (const option of configOptions) {
    if (has("strict-options") && option.type !== "select")
      throw new Error(`unknown type ${option.type}`);
  }
  const { sessionId } = state;
  if (options.option !== undefined) {
    const [configId, value] = options.option.split("=");
    const known = configOptions.find(({ id }) => id === configId);
    const isListed = known?.options?.some((one) => one.value === value);
    if (known?.type === "boolean") {
      const type = has("untyped-switch") ? {} : { type: "boolean" };
      const on = { ...type, value: value === "true" };
      await agent.request("session/set_config_option", { sessionId, configId, ...on });
    } else if (isListed || has("unchecked-option")) {
      await agent.request("session/set_config_option", { sessionId, configId, value });
    } else throw new Error(`${options.option} is not offered`);
  }
  if (options.mode === undefined) return;
  const mode = configOptions.find(({ category }) => category === "mode");
  if (mode && !has("sets-modes")) {
    await agent.request("session/set_config_option", {
      sessionId,
      configId: mode.id,
      value: options.mode,
    });
    return;
  }
  const isOffered = modes?.availableModes.some(({ id }) => id === options.mode);
  if (!isOffered && !has("unchecked-mode")) throw new Error(`${options.mode} is not offered`);
  await agent.request("session/set_mode", { sessionId, modeId: options.mode });
}

function promptBlocks(text) {
  const blocks = [{ type: "text", text }];
  const image = { type: "image", mimeType: "image/png", data: "aGk=" };
  if (has("always-image")) blocks.push(image);
  return blocks;
}

async function prompt(text) {
  state.inTurn = true;
  state.isCancelled = false;
  answer.begin();
  const idle = new Promise((resolve) => {
    state.onIdle = resolve;
  });
  try {
    const { sessionId } = state;
    const result = await agent.request("session/prompt", { sessionId, prompt: promptBlocks(text) });
    if (state.version === 2 && !has("v2-ends-at-answer")) return (await idle) ?? "end_turn";
    return result.stopReason ?? "end_turn";
  } catch (error) {
    if (state.isCancelled) return "cancelled";
    throw error;
  } finally {
    clearTimeout(cancelling);
    state.inTurn = false;
    answer.end();
  }
}

async function listAll() {
  let cursor;
  do {
    const page = await agent.request("session/list", {
      cwd: process.cwd(),
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const { title } of page.sessions) say(`${title}\n`);
    cursor =
      has("re-encodes-cursor") && page.nextCursor
        ? encodeURIComponent(page.nextCursor)
        : page.nextCursor;
  } while (cursor !== undefined && cursor !== null);
}

async function main() {
  const initialized = await initialize();
  if (options.list) {
    await listAll();
    return 0;
  }
  const opened = await openSession(initialized);
  await applySettings(opened);
  if (options.image !== undefined) {
    readFileSync(options.image);
    const canShow = initialized.agentCapabilities?.promptCapabilities?.image === true;
    if (!canShow) throw new Error("the agent takes no images");
  }
  let reason = await prompt(options.prompt);
  for (let sent = 1; sent < Number(options.prompts) && reason === "end_turn"; sent++) {
    say("\n");
    reason = await prompt(options.prompt);
  }
  if (options.again) {
    // A line on stdin stands for the person who types the next prompt.
    await new Promise((resolve) => {
      process.stdin.once("data", resolve);
    });
    if (has("cancels-next") && reason === "cancelled") throw new Error("the turn was cancelled");
    say("\n");
    reason = await prompt("again");
  }
  if (has("one-ending")) return 0;
  if (reason !== "end_turn") tell(`stopped: ${reason}`);
  return EXIT_CODES[reason] ?? 15;
}

main().then(
  (code) => finish(code),
  (error) => {
    tell(`error: ${error.message}`);
    return finish(1);
  },
);
