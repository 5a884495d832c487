import { isJsonObject, type JsonObject, parseJsonObject } from "../../../base/index.ts";

export const DEFAULT_PATH = "/acp";

/** The headers of the transport, in lower case as Node has them. */
export const HEADERS = {
  connection: "acp-connection-id",
  session: "acp-session-id",
  lastEvent: "last-event-id",
} as const;

/** The key of the stream for everything that belongs to no session. No session has an empty id. */
export const CONNECTION_STREAM = "";

export const INITIALIZE = "initialize";

/** Requests that open a session under a known id. The agent may replay its history first. */
export const OPENING_METHODS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "session/load",
  "session/resume",
]);

/** Requests after which a session has no stream anymore. */
export const ENDING_METHODS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "session/close",
  "session/delete",
]);

/** Methods that must name their session in a header. */
export const SESSION_METHODS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "session/cancel",
  "session/close",
  "session/delete",
  "session/fork",
  "session/load",
  "session/prompt",
  "session/resume",
  "session/set_config_option",
  "session/set_mode",
  "session/set_model",
]);

/** The part of a message that decides how it travels. */
export interface MessageRoute {
  readonly kind: "request" | "notification" | "response";
  /** Undefined for a response. */
  readonly method: string | undefined;
  readonly id: unknown;
  readonly sessionId: string | undefined;
  /** The session that its result names, as that of `session/new` does. */
  readonly createdSessionId: string | undefined;
  readonly isError: boolean;
}

/**
 * By far the most frequent message, as this library and most others write it. Reading its beginning
 * costs nothing compared with parsing it.
 */
const UPDATE = /^\{"jsonrpc":"2\.0","method":"session\/update","params":\{"sessionId":"([^"\\]*)"/;

/** Reads the route of a line; undefined if the line is not a message. */
export function routeOf(line: string): MessageRoute | undefined {
  const update = UPDATE.exec(line);
  if (update) return routeOfUpdate(update[1]);
  const frame = parseJsonObject(line);
  return frame && routeOfFrame(frame);
}

function routeOfUpdate(sessionId: string | undefined): MessageRoute {
  return {
    kind: "notification",
    method: "session/update",
    id: undefined,
    sessionId,
    createdSessionId: undefined,
    isError: false,
  };
}

export function routeOfFrame({ method, id, params, result, error }: JsonObject): MessageRoute {
  const isCall = typeof method === "string";
  return {
    kind: isCall ? (id === undefined ? "notification" : "request") : "response",
    method: isCall ? method : undefined,
    id,
    sessionId: isCall ? sessionIn(params) : undefined,
    createdSessionId: isCall ? undefined : sessionIn(result),
    isError: !isCall && error !== undefined,
  };
}

function sessionIn(value: unknown): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const { sessionId } = value;
  return typeof sessionId === "string" && sessionId !== "" ? sessionId : undefined;
}
