// The methods of an agent of version 2 and their defects.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { store } from "./store.mjs";
import { turn2 } from "./v2-turn.mjs";

export function handlersOfV2(client) {
  const { has, fail } = client;
  const sessions = store(client);
  const running = new Map();
  let isSignedIn = !has("with-login");

  const text = (params, key) => {
    if (typeof params?.[key] !== "string") fail(-32602, `${key} must be a string`);
    return params[key];
  };
  const sessionOf = (params) =>
    sessions.find(text(params, "sessionId")) ?? fail(-32002, "unknown session");
  const update = (session, fields) =>
    client.notify("session/update", { sessionId: session.id, update: fields });
  const options = (session) => [
    {
      configId: has("unnamed-option") ? "" : "model",
      name: "Model",
      type: "select",
      currentValue: has("unlisted-value") ? "huge" : (session.model ?? "small"),
      options: ["small", "large"].map((value) => ({ value, name: value })),
    },
    { configId: "fast", name: "Fast", type: "boolean", currentValue: false },
  ];
  const methodsOf = (offer) => {
    const own = {
      type: has("odd-method-type") ? "magic" : "agent",
      methodId: "login",
      name: "Log in",
    };
    const terminal = {
      type: "terminal",
      methodId: "terminal",
      name: "On a terminal",
      args: ["--login"],
      env: ["A", has("same-env-names") ? "A" : "B"].map((name) => ({ name, value: "1" })),
    };
    if (!has("with-login")) return has("terminal-unasked") ? [terminal] : [];
    const list = has("same-method-ids") ? [own, own] : [own];
    return offer?.auth?.terminal ? [...list, terminal] : list;
  };

  return {
    initialize(params) {
      if (params?.protocolVersion === 1) {
        if (has("refuses-version-1")) fail(-32602, "too old");
        return {
          protocolVersion: 1,
          agentCapabilities: {},
          agentInfo: { name: "basic", version: "1" },
          ...(has("mixes-versions") ? { capabilities: {} } : {}),
        };
      }
      return {
        protocolVersion: has("odd-version") ? 7 : 2,
        info: has("no-info")
          ? { name: "", version: "" }
          : { name: "basic-agent", version: "1.0.0" },
        capabilities: {
          session: {
            delete: has("boolean-capability") ? true : {},
            additionalDirectories: {},
            mcp: { stdio: {}, http: {} },
            ...(has("undeclared-capability") ? { teleport: {} } : {}),
          },
        },
        authMethods: methodsOf(params?.capabilities),
        ...(has("mixes-versions") ? { agentCapabilities: {} } : {}),
      };
    },
    "auth/login"() {
      isSignedIn ||= !has("login-is-useless");
      return {};
    },
    "auth/logout": () => (has("logout-fails") ? fail(-32603, "cannot log out") : {}),
    "session/new"(params) {
      const cwd = text(params, "cwd");
      if (has("needs-servers") && !params.mcpServers) fail(-32602, "no mcpServers");
      if (!isSignedIn || has("locked")) fail(-32000, "sign in first");
      const session = { id: randomUUID(), cwd, history: [], updatedAt: new Date().toISOString() };
      sessions.add(session);
      return { sessionId: session.id, configOptions: options(session) };
    },
    "session/resume"(params) {
      if (has("resume-missing")) fail(-32601, "unknown method");
      text(params, "cwd");
      const session = sessionOf(params);
      if (has("refuses-roots") && params.additionalDirectories) fail(-32603, "no roots");
      const isAsked = params.replayFrom?.type === "start";
      if ((isAsked && !has("late-replay")) || has("always-replays")) {
        for (const one of session.history) update(session, one);
      }
      update(session, { sessionUpdate: "state_update", state: "idle" });
      const configOptions = options(session);
      return {
        configOptions: has("odd-resume-options")
          ? [{ ...configOptions[0], name: undefined, configId: "" }]
          : configOptions,
      };
    },
    "session/list"(params) {
      const { sessions: found } = sessions.list({
        cwd: has("ignores-filter") ? undefined : params?.cwd,
      });
      return {
        sessions: has("ignores-filter") ? [{ sessionId: "x", cwd: "/elsewhere" }, ...found] : found,
      };
    },
    "session/close"(params) {
      if (!has("close-ignores-work")) running.get(params?.sessionId)?.("cancelled");
      else running.get(params?.sessionId)?.("end_turn");
      return {};
    },
    "session/delete"(params) {
      if (!has("delete-keeps")) sessions.remove(text(params, "sessionId"));
      return {};
    },
    "session/set_config_option"(params) {
      const session = sessionOf(params);
      if (!has("keeps-value")) session.model = params.value;
      const all = options(session);
      update(session, {
        sessionUpdate: "config_option_update",
        configOptions: has("partial-update") ? all.slice(1) : all,
        _meta: has("text-meta") ? "text" : {},
      });
      return { configOptions: has("partial-options") ? all.slice(0, 1) : all };
    },
    async "session/prompt"(params) {
      const session = sessionOf(params);
      if (!Array.isArray(params.prompt)) fail(-32602, "prompt must be an array");
      return turn2(client, sessions, session, params.prompt, running, join);
    },
    notified(method, params) {
      if (method !== "session/cancel") return;
      if (has("answers-cancel")) client.send({ id: null, result: {} });
      if (has("meta-cancel-ignored") && params?._meta)
        return running.get(params.sessionId)?.("end_turn");
      const reason = has("own-stop-reason")
        ? "aborted"
        : has("cancel-is-end-turn")
          ? "end_turn"
          : "cancelled";
      running.get(params?.sessionId)?.(has("cancel-is-error") ? "error" : reason);
    },
    after(method, params) {
      if (method !== "session/resume" || !has("late-replay")) return;
      const session = sessions.find(params.sessionId);
      for (const one of session?.history ?? []) update(session, one);
    },
  };
}
