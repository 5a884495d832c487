import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { agent, defect, runFor, variant } from "./context.mjs";
import { allAnswered, isAsking, newConnection, notify, receive, RpcError, write } from "./rpc.mjs";
import { Session } from "./session.mjs";
import { runTurn } from "./turn.mjs";

const newState = () => ({
  sessions: new Map(),
  /** The prompts that are not answered yet, by the id of their request. */
  prompts: new Map(),
  client: {},
  idleCancels: 0,
  isPoisoned: false,
  connection: newConnection(),
});

const isMissing = (value) => value === undefined || value === null;
const invalid = (message) => new RpcError(-32602, message);

function sessionOf({ sessionId }) {
  if (typeof sessionId !== "string") throw invalid("sessionId must be a string");
  const session = agent().sessions.get(sessionId);
  if (!session || session.isClosed) throw new RpcError(-32002, "there is no such session");
  return session;
}

function checkFolders({ cwd, mcpServers, additionalDirectories }, needsServers = true) {
  if (typeof cwd !== "string" || !isAbsolute(cwd)) throw invalid("cwd must be an absolute path");
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    throw invalid("cwd is not a folder");
  if (!Array.isArray(mcpServers) && (needsServers || !isMissing(mcpServers)))
    throw invalid("mcpServers must be an array");
  const extra = additionalDirectories ?? [];
  const isRoot = (path) =>
    typeof path === "string" && (isAbsolute(path) || defect("relative-roots"));
  if (!Array.isArray(extra) || !extra.every(isRoot))
    throw invalid("additionalDirectories must be absolute paths");
}

function open(session, { cwd, mcpServers, additionalDirectories }) {
  session.cwd = cwd;
  const kept = defect("extra-roots-kept") ? (session.roots ?? []) : [];
  session.roots = [...kept, ...(additionalDirectories ?? [])];
  session.connect(mcpServers ?? []);
  agent().sessions.set(session.id, session);
}

function reopen(params, needsServers) {
  if (typeof params.sessionId !== "string") throw invalid("sessionId must be a string");
  checkFolders(params, needsServers);
  const running = agent().sessions.get(params.sessionId);
  const session =
    running && !running.isClosed ? running : (Session.find(params.sessionId) ?? running);
  if (!session) throw new RpcError(-32002, "there is no such session");
  session.isClosed = false;
  if (defect("load-ignores-mode")) session.hasModeEffect = false;
  if (variant("own-folder") && params.cwd !== session.cwd)
    throw invalid("the session belongs to another folder");
  if (defect("load-resets-settings")) Object.assign(session, { mode: "ask", model: "small" });
  open(session, {
    ...params,
    cwd: defect("load-keeps-folder") ? session.cwd : params.cwd,
    mcpServers: defect("mcp-not-on-load") ? [] : params.mcpServers,
  });
  return session;
}

function announce(session) {
  session.send({
    sessionUpdate: "available_commands_update",
    availableCommands: [{ name: "help", description: "Lists the commands" }],
  });
}

const handlers = {
  initialize({ protocolVersion, clientCapabilities }) {
    if (!Number.isInteger(protocolVersion)) throw invalid("protocolVersion must be an integer");
    agent().client = clientCapabilities ?? {};
    return {
      protocolVersion: 1,
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: true, embeddedContext: true },
        mcpCapabilities: { http: true, sse: true },
        sessionCapabilities: {
          list: {},
          resume: {},
          close: {},
          delete: {},
          additionalDirectories: {},
        },
      },
      authMethods: [],
      agentInfo: { name: "model-agent", version: "1.0.0" },
    };
  },

  async "session/new"(params) {
    checkFolders(params);
    const session = new Session();
    open(session, params);
    if (defect("mcp-waits")) await session.servers.ready;
    if (defect("mcp-required") && (await session.servers.ready).some(({ reason }) => reason))
      throw new RpcError(-32603, "an MCP server does not work");
    session.save();
    setImmediate(() => announce(session));
    return { sessionId: session.id, ...session.settings() };
  },

  async "session/load"(params) {
    const session = reopen(params, true);
    if (defect("load-forgets")) session.messages = [];
    session.replay();
    setImmediate(() => announce(session));
    return session.settings();
  },

  async "session/resume"(params) {
    const session = reopen(params, false);
    if (defect("resume-forgets")) session.messages = [];
    setImmediate(() => announce(session));
    return session.settings();
  },

  "session/list"({ cwd, cursor }) {
    if (!isMissing(cwd) && (typeof cwd !== "string" || !isAbsolute(cwd)))
      throw invalid("cwd must be an absolute path");
    if (!isMissing(cursor)) throw invalid("there is no such cursor");
    const found = Session.list().filter((session) => isMissing(cwd) || session.cwd === cwd);
    return {
      sessions: found.map(({ id, cwd: folder, updatedAt }) => ({
        sessionId: id,
        cwd: folder,
        updatedAt,
      })),
    };
  },

  async "session/close"(params) {
    const session = sessionOf(params);
    if (defect("close-leaks-shells")) session.children.clear();
    session.close();
    await session.queue;
    session.save();
    return {};
  },

  "session/delete"({ sessionId }) {
    if (typeof sessionId !== "string") throw invalid("sessionId must be a string");
    agent().sessions.get(sessionId)?.close();
    agent().sessions.delete(sessionId);
    Session.remove(sessionId);
    return {};
  },

  "session/set_mode"(params) {
    const session = sessionOf(params);
    if (defect("mode-needs-idle") && session.turns.size > 0)
      throw new RpcError(-32603, "a turn is running");
    return (setOption(session, "mode", params.modeId), {});
  },

  "session/set_config_option"(params) {
    const session = sessionOf(params);
    setOption(session, params.configId, params.value);
    return { configOptions: session.options() };
  },

  "session/prompt": (params, id) => prompt(params, id),

  "session/cancel"({ sessionId }) {
    const session = agent().sessions.get(sessionId);
    const isBusy = (session?.turns.size ?? 0) > 0;
    const hitsAll =
      defect("cancel-hits-all") ||
      (defect("busy-cancel-hits-all") && isBusy) ||
      (defect("unknown-cancel-hits-all") && !session);
    if (hitsAll) for (const one of agent().sessions.values()) one.cancel();
    if (defect("idle-cancel-poisons") && session && !isBusy) agent().idleCancels += 1;
    if (defect("idle-cancel-fails-next") && session && !isBusy) session.isStuck = true;
    if (defect("second-cancel-poisons") && session?.wasCancelled) agent().idleCancels += 1;
    if (session) session.wasCancelled = isBusy;
    // A turn that has shown nothing yet is not cancelled.
    const isNew = [...(session?.turns ?? [])].some((turn) => !turn.hasStarted);
    if (defect("cancel-lost-early") && isNew) return;
    session?.cancel();
  },

  "$/cancel_request"({ requestId }) {
    if (defect("cancel-request-answered-twice") && agent().prompts.has(requestId))
      write({ id: requestId, error: { code: -32800, message: "cancelled" } });
    if (defect("unknown-request-cancel-hits-all") && !agent().prompts.has(requestId))
      for (const session of agent().sessions.values()) session.cancel();
    agent().prompts.get(requestId)?.abort(new Error("the request was cancelled"));
  },
};

function setOption(session, id, value) {
  const option = session.options().find((known) => known.id === id);
  if (!option) throw invalid("there is no such option");
  if (!option.options.some((known) => known.value === value))
    throw invalid("there is no such value");
  session[id] = value;
  session.save();
  if (id === "mode") session.send({ sessionUpdate: "current_mode_update", currentModeId: value });
  session.send({ sessionUpdate: "config_option_update", configOptions: session.options() });
}

const KNOWN_BLOCKS = ["text", "image", "audio", "resource_link", "resource"];
const REFUSED = {
  resource_link: "refuses-links",
  image: "refuses-images",
  audio: "refuses-audio",
  resource: "refuses-resources",
};

function checkBlocks(blocks) {
  if (!Array.isArray(blocks)) throw invalid("prompt must be an array");
  for (const block of blocks) {
    if (typeof block !== "object" || block === null || !KNOWN_BLOCKS.includes(block.type))
      throw invalid("unknown type of content");
    if (REFUSED[block.type] && defect(REFUSED[block.type])) throw invalid("cannot take that");
    if (block.type === "text" && typeof block.text !== "string") throw invalid("text is missing");
  }
}

async function prompt(params, id) {
  const session = sessionOf(params);
  if (defect("hangs-on-unknown-block") && params.prompt?.some?.((b) => b.type === "hologram"))
    await new Promise(() => {});
  try {
    checkBlocks(params.prompt);
  } catch (error) {
    if (defect("stuck-after-odd-prompt")) session.isStuck = true;
    throw error;
  }
  const turn = new AbortController();
  session.turns.add(turn);
  agent().prompts.set(id, turn);
  const previous = session.queue;
  let done;
  session.queue = new Promise((resolve) => {
    done = resolve;
  });
  try {
    if (defect("drops-second-prompt") && session.turns.size > 1) await new Promise(() => {});
    await previous;
    if (session.isStuck) {
      session.isStuck = !defect("idle-cancel-fails-next");
      throw new RpcError(-32603, "the session does not go on");
    }
    if (agent().isPoisoned) throw new RpcError(-32603, "an earlier prompt failed");
    if (agent().idleCancels > 0) {
      agent().idleCancels = 0;
      return { stopReason: "cancelled" };
    }
    return await answer(session, params.prompt, turn);
  } finally {
    agent().prompts.delete(id);
    session.turns.delete(turn);
    session.updatedAt = new Date().toISOString();
    session.save();
    done();
    if (defect("late-chunk")) setImmediate(() => lateChunk(session));
  }
}

async function answer(session, blocks, turn) {
  const started = () => {
    turn.hasStarted = true;
  };
  const { client } = agent();
  const context = { session, client, signal: turn.signal, started };
  try {
    const stopReason = await runTurn(context, blocks);
    if (defect("stuck-after-refusal") && stopReason === "refusal") session.isStuck = true;
    return { stopReason: defect("unknown-stop-reason") ? "done" : stopReason };
  } catch (error) {
    if (turn.signal.aborted) return afterCancel(session);
    if (defect("fails-for-good")) agent().isPoisoned = true;
    if (defect("silent-failure")) return { stopReason: "end_turn" };
    throw error;
  }
}

function afterCancel(session) {
  if (defect("cancel-is-error")) throw new RpcError(-32603, "the turn was aborted");
  if (defect("cancel-poisons-next")) agent().idleCancels += 1;
  if (defect("late-update-after-cancel")) setImmediate(() => lateChunk(session));
  return { stopReason: defect("cancel-is-end-turn") ? "end_turn" : "cancelled" };
}

function lateChunk(session) {
  const content = { type: "text", text: "One more thing." };
  notify("session/update", {
    sessionId: session.id,
    update: { sessionUpdate: "agent_message_chunk", content },
  });
}

/** With some defects, requests wait or are refused while the agent waits for the client. */
function held(handler) {
  return async (params, id) => {
    if (defect("permission-blocks") && id !== undefined) await allAnswered();
    if (defect("busy-while-asking") && id !== undefined && isAsking())
      throw new RpcError(-32603, "the agent waits for the user");
    return handler(params, id);
  };
}

/**
 * Serves one client. `read` takes its bytes, and `end` ends everything that the agent has started.
 * @param {{
 *   defect: string | undefined,
 *   variant?: string | undefined,
 *   env: Readonly<Record<string, string | undefined>>,
 *   cwd: string,
 *   output: { write: (line: string) => boolean, isFull: () => boolean, drained: () => Promise<unknown> },
 * }} options
 */
export function serve(options) {
  const state = { ...newState(), ...options };
  const all = Object.entries(handlers).map(([method, handler]) => [method, held(handler)]);
  const methods = Object.fromEntries(all);
  const decoder = new StringDecoder("utf8");
  let parts = [];
  const line = (text) => runFor(state, () => void receive(text, methods));
  return {
    /** @param {Uint8Array} chunk */
    read(chunk) {
      const [first, ...more] = decoder.write(Buffer.from(chunk)).split("\n");
      parts.push(first);
      for (const next of more) {
        line(parts.join(""));
        parts = [next];
      }
    },
    /** Returns false if the agent stays. */
    end: () =>
      runFor(state, () => {
        const isBusy = [...agent().sessions.values()].some(({ turns }) => turns.size > 0);
        if (defect("stays-in-turn") && isBusy) return false;
        for (const session of agent().sessions.values()) session.close();
        return true;
      }),
  };
}
