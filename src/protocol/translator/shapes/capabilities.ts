import { without, isJsonObject, type JsonObject, objectField } from "../../../base/index.ts";

import { onlyObjects } from "./session-fields.ts";

/*
 * The capabilities of both versions. v1 says yes with `true` at some paths, v2 always with an object.
 * Fields that neither function knows pass unchanged, because extensions and the unstable schema put
 * theirs next to the stable ones.
 */

/** The v1 form of a v2 agent's capabilities. Pure. */
export function agentCapabilitiesToV1(capabilities: unknown, authMethods: unknown): JsonObject {
  const given = isJsonObject(capabilities) ? capabilities : {};
  const session = objectField(given, "session");
  const auth = objectField(given, "auth");
  const prompt = session && objectField(session, "prompt");
  const mcp = session && objectField(session, "mcp");
  const canLogOut = Array.isArray(authMethods) && authMethods.length > 0;
  return {
    ...without(given, "session", "auth"),
    loadSession: session !== undefined,
    promptCapabilities: {
      ...without(prompt ?? {}, ...PROMPT_KINDS),
      ...flags(prompt, PROMPT_KINDS),
    },
    mcpCapabilities: {
      ...without(mcp ?? {}, "stdio", "http", "acp"),
      ...flags(mcp, ["http"]),
      sse: false,
      ...(mcp && isJsonObject(mcp["acp"]) ? { acp: true } : {}),
    },
    ...(session
      ? {
          sessionCapabilities: {
            ...without(session, "prompt", "mcp"),
            list: {},
            resume: {},
            close: {},
          },
        }
      : {}),
    auth: { ...auth, ...(canLogOut ? { logout: {} } : {}) },
  };
}

/** The v2 form of a v1 agent's capabilities. Pure. */
export function agentCapabilitiesToV2(capabilities: unknown): JsonObject {
  const given = isJsonObject(capabilities) ? capabilities : {};
  const session = objectField(given, "sessionCapabilities") ?? {};
  const prompt = objectField(given, "promptCapabilities") ?? {};
  const mcp = objectField(given, "mcpCapabilities") ?? {};
  const auth = objectField(given, "auth");
  return {
    ...without(
      given,
      "loadSession",
      "sessionCapabilities",
      "promptCapabilities",
      "mcpCapabilities",
      "auth",
    ),
    session: {
      ...without(session, "list", "resume", "close"),
      prompt: { ...without(prompt, ...PROMPT_KINDS), ...markers(prompt, PROMPT_KINDS) },
      mcp: {
        ...without(mcp, "http", "sse", "acp"),
        stdio: {},
        ...markers(mcp, ["http", "acp"]),
      },
    },
    ...(auth ? { auth: without(auth, "logout") } : {}),
  };
}

/** Whether a v2 agent starts MCP servers by a command. v1 agents always do, and cannot say otherwise. */
export function v2AgentHasStdioMcp(capabilities: unknown): boolean {
  const session = isJsonObject(capabilities) ? objectField(capabilities, "session") : undefined;
  const mcp = session && objectField(session, "mcp");
  return mcp !== undefined && isJsonObject(mcp["stdio"]);
}

/**
 * The v1 form of a v2 client's capabilities. A v2 client has neither files nor terminals for the agent;
 * boolean options, notices and compactions are part of v2 itself. Pure.
 */
export function clientCapabilitiesToV1(capabilities: unknown): JsonObject {
  const given = isJsonObject(capabilities) ? capabilities : {};
  const auth = objectField(given, "auth");
  return {
    ...without(given, "auth"),
    fs: { readTextFile: false, writeTextFile: false },
    terminal: false,
    auth: { ...auth, terminal: auth !== undefined && isJsonObject(auth["terminal"]) },
    session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
  };
}

/** The v2 form of a v1 client's capabilities. Pure. */
export function clientCapabilitiesToV2(capabilities: unknown): JsonObject {
  const given = isJsonObject(capabilities) ? capabilities : {};
  const auth = objectField(given, "auth");
  return {
    ...without(given, "fs", "terminal", "session", "auth"),
    ...(auth ? { auth: { ...without(auth, "terminal"), ...markers(auth, ["terminal"]) } } : {}),
  };
}

/** The v1 form of a v2 agent's login methods. Pure. */
export function authMethodsToV1(methods: unknown): readonly JsonObject[] {
  return onlyObjects(methods).map((method) => {
    const { methodId, type, env, ...rest } = method;
    return {
      ...rest,
      id: methodId,
      ...(type === "agent" ? {} : { type }),
      ...(env === undefined ? {} : { env: toMap(env) }),
    };
  });
}

/** The v2 form of a v1 agent's login methods. Pure. */
export function authMethodsToV2(methods: unknown): readonly JsonObject[] {
  return onlyObjects(methods).map((method) => {
    const { id, type, env, ...rest } = method;
    return {
      ...rest,
      methodId: id,
      type: typeof type === "string" ? type : "agent",
      ...(env === undefined ? {} : { env: toPairs(env) }),
    };
  });
}

const PROMPT_KINDS = ["image", "audio", "embeddedContext"];

/** v1: `true` or `false` for each name. */
function flags(object: JsonObject | undefined, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, isJsonObject(object?.[name])]));
}

/** v2: an empty object for each name that v1 has as `true`. */
function markers(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.filter((name) => object[name] === true).map((name) => [name, {}]),
  );
}

function toMap(env: unknown): JsonObject {
  if (!Array.isArray(env)) return {};
  const pairs = env.filter((item) => isJsonObject(item));
  return Object.fromEntries(pairs.map((pair) => [String(pair["name"]), pair["value"]]));
}

function toPairs(env: unknown): readonly JsonObject[] {
  return isJsonObject(env) ? Object.entries(env).map(([name, value]) => ({ name, value })) : [];
}
