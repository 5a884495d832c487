// The methods of the agent and their defects.
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { authentication } from "./authentication.mjs";
import { settings } from "./settings.mjs";
import { store } from "./store.mjs";
import { turn } from "./turn.mjs";

const CAPABILITIES = {
  loadSession: true,
  promptCapabilities: {},
  mcpCapabilities: {},
  sessionCapabilities: {
    list: {},
    resume: {},
    close: {},
    delete: {},
    fork: {},
    additionalDirectories: {},
  },
};

const otherWords = (update) =>
  update.content?.text ? { ...update, content: { type: "text", text: "something else" } } : update;

export function handlers(client) {
  const { has, fail } = client;
  const sessions = store(client);
  const login = authentication(client);
  const options = settings(client);
  let offer = {};
  let made = 0;
  const loaded = new Set();

  const text = (params, key) => {
    if (typeof params?.[key] !== "string") {
      fail(has("params-are-internal") ? -32603 : -32602, `${key} must be a string`);
    }
    return params[key];
  };
  const folder = (params) => {
    const cwd = text(params, "cwd");
    if (!isAbsolute(cwd) && !has("relative-cwd")) fail(-32602, "cwd must be absolute");
    if (isAbsolute(cwd) && !existsSync(cwd)) {
      if (has("missing-folder-ends")) client.exit(1);
      if (!has("missing-folder-opens")) fail(-32602, "cwd does not exist");
    }
    return cwd;
  };
  const servers = ({ mcpServers }) => {
    if (!Array.isArray(mcpServers)) fail(-32602, "mcpServers must be an array");
    if (mcpServers.some(({ url }) => url) && !has("drops-servers")) fail(-32602, "only stdio");
  };
  const sessionOf = (params) => {
    const id = text(params, "sessionId");
    return sessions.find(id) ?? fail(-32002, "unknown session");
  };
  const replay = (session) => {
    const isOther = has("second-load-differs") && loaded.has(session.id);
    const history = isOther ? session.history.map(otherWords) : session.history;
    for (const update of history) {
      client.notify("session/update", { sessionId: session.id, update });
    }
  };

  const methods = {
    initialize(params) {
      const version = params?.protocolVersion;
      offer = params?.clientCapabilities ?? {};
      if (has("initialize-fails")) fail(-32603, "cannot reach the server");
      if (has("needs-capabilities") && !params?.clientCapabilities) fail(-32602, "no capabilities");
      if (has("refuses-null-capabilities") && params?.clientCapabilities === null)
        fail(-32602, "clientCapabilities is null");
      if (has("refuses-old-version") && version === 0) fail(-32602, "version 0 is too old");
      return {
        protocolVersion: answeredVersion(version),
        agentCapabilities: { ...CAPABILITIES, ...login.capabilities },
        authMethods: login.methods(offer),
        ...(has("no-info") ? {} : { agentInfo: { name: "basic-agent", version: "1.0.0" } }),
      };
    },
    async "session/new"(params) {
      if (has("refuses-unknown-fields") && params && "dragomanUnknown" in params)
        fail(-32602, "unknown field");
      const cwd = folder(params);
      servers(params);
      if (has("refuses-roots") && params.additionalDirectories) fail(-32603, "no roots");
      login.assertSignedIn();
      const before = made;
      if (has("racing-ids")) await new Promise((resolve) => setTimeout(resolve, 20));
      made = has("racing-ids") ? before + 1 : made + 1;
      const session = newSession(cwd);
      sessions.add(session);
      return {
        sessionId: session.id,
        ...options.of(session, offer),
        ...(has("root-keys") ? { models: {} } : {}),
      };
    },
    async "session/load"(params) {
      const cwd = folder(params);
      const id = text(params, "sessionId");
      servers(params);
      if (has("load-fails")) fail(-32603, "cannot load");
      const session = sessions.find(id);
      if (!session && has("unknown-loads")) return {};
      if (!session) fail(-32002, "unknown session");
      if (has("load-needs-turn") && session.history.length === 0) fail(-32603, "nothing to load");
      session.cwd = cwd;
      if (!(has("loads-once") && loaded.has(id)) && !has("late-replay")) replay(session);
      loaded.add(id);
      return has("load-null") ? null : options.of(session, offer);
    },
    "session/resume"(params) {
      if (has("resume-missing")) fail(-32601, "unknown method session/resume");
      folder(params);
      const session = sessionOf(params);
      if (has("resume-needs-servers") && !params.mcpServers) fail(-32602, "no mcpServers");
      if (has("resume-replays")) replay(session);
      return options.of(session, offer);
    },
    "session/fork"(params) {
      const cwd = folder(params);
      const { history } = sessionOf(params);
      const session = { ...newSession(cwd), history: [...history] };
      sessions.add(session);
      return { sessionId: session.id, ...options.of(session, offer) };
    },
    "session/list": (params) => sessions.list(params ?? {}),
    "session/close"(params) {
      sessionOf(params);
      if (has("close-fails")) fail(-32603, "cannot close");
      return {};
    },
    "session/delete"(params) {
      const id = text(params, "sessionId");
      if (has("delete-fails") && sessions.find(id)) fail(-32603, "cannot delete");
      if (has("delete-needs-session") && !sessions.find(id)) fail(-32002, "unknown session");
      if (!has("delete-keeps")) sessions.remove(id);
      return {};
    },
    async "session/prompt"(params) {
      const session = sessionOf(params);
      if (!Array.isArray(params.prompt)) {
        fail(has("params-are-internal") ? -32603 : -32602, "prompt must be an array");
      }
      if (has("refuses-meta") && params._meta) fail(-32602, "unknown field _meta");
      session.prompts++;
      if (has("first-prompt-fails") && session.prompts === 1) fail(-32002, "session not found");
      return turn(client, sessions, session, params.prompt, offer);
    },
    ...login.handlers,
    ...options.handlers(sessionOf),
    after(method, params, result) {
      if (method === "session/new") announce(result.sessionId);
      if (method === "session/load") {
        const session = sessions.find(params.sessionId);
        if (has("late-replay") && session) replay(session);
      }
      options.after(method, params, sessions.find(params?.sessionId));
    },
  };
  return methods;

  function answeredVersion(version) {
    if (has("text-version") && version === 1) return "1";
    if (has("wrong-version") && version === 1) return 3;
    if (has("echoes-version")) return version;
    return 1;
  }

  function newSession(cwd) {
    const updatedAt = new Date().toISOString();
    return { id: sessionId(), cwd, history: [], updatedAt, prompts: 0 };
  }

  function sessionId() {
    if (has("empty-session-id")) return "";
    if (has("same-session-ids")) return "session";
    if (has("racing-ids")) return `${process.pid}-${made}`;
    return randomUUID();
  }

  function announce(id) {
    const names = has("slash-in-name") ? ["/help"] : ["help"];
    client.notify("session/update", {
      sessionId: id,
      update: {
        sessionUpdate: "available_commands_update",
        availableCommands: names.map((name) => ({
          name,
          ...(has("invalid-update") ? {} : { description: "Shows help" }),
        })),
        _meta: has("text-meta") ? "text" : { traceparent: "none" },
      },
    });
  }
}
