import { RpcCode, type CallOptions, RpcError } from "../../transport/rpc/index.ts";
import { toError } from "../../base/index.ts";

/** The only protocol version that Dragoman supports. */
export const PROTOCOL_VERSION = 1;

/** Methods that a client calls on an agent. `cancel` is a notification, the others are requests. */
export const AGENT_METHODS = {
  initialize: "initialize",
  authenticate: "authenticate",
  logout: "logout",
  newSession: "session/new",
  loadSession: "session/load",
  resumeSession: "session/resume",
  listSessions: "session/list",
  deleteSession: "session/delete",
  closeSession: "session/close",
  prompt: "session/prompt",
  cancel: "session/cancel",
  setMode: "session/set_mode",
  setConfigOption: "session/set_config_option",
} as const;

/** Methods that an agent calls on a client. `update` and `completeElicitation` are notifications. */
export const CLIENT_METHODS = {
  update: "session/update",
  requestPermission: "session/request_permission",
  readTextFile: "fs/read_text_file",
  writeTextFile: "fs/write_text_file",
  createTerminal: "terminal/create",
  terminalOutput: "terminal/output",
  waitForTerminalExit: "terminal/wait_for_exit",
  killTerminal: "terminal/kill",
  releaseTerminal: "terminal/release",
  createElicitation: "elicitation/create",
  completeElicitation: "elicitation/complete",
} as const;

/** Notifications that either side may send. */
export const PROTOCOL_METHODS = { cancelRequest: "$/cancel_request" } as const;

export type AgentMethod = (typeof AGENT_METHODS)[keyof typeof AGENT_METHODS];
export type ClientMethod = (typeof CLIENT_METHODS)[keyof typeof CLIENT_METHODS];
export type ProtocolMethod = (typeof PROTOCOL_METHODS)[keyof typeof PROTOCOL_METHODS];

/** The error codes of JSON-RPC and the two that ACP adds. Peers may send any other number. */
export const ERROR_CODES = { ...RpcCode, authRequired: -32000, resourceNotFound: -32002 } as const;

/** The release of the protocol's SDK whose `schema.unstable.json` this folder follows. */
export const UNSTABLE_SCHEMA_VERSION = "2.4.0";

/**
 * The methods that only the unstable schema has. `authStatusUpdate` is a notification from the agent.
 * `mcpMessage` is a request from the agent and a notification from the client. The two for proxies are
 * between a proxy and its conductor. `session/fork` is used without the `unstable` switch, because released agents advertise it.
 */
export const UNSTABLE_METHODS = {
  forkSession: "session/fork",
  authStatus: "auth/status",
  authStatusUpdate: "auth/status_update",
  listProviders: "providers/list",
  setProvider: "providers/set",
  disableProvider: "providers/disable",
  archiveSession: "session/archive",
  unarchiveSession: "session/unarchive",
  sessionStatus: "session/status",
  setSessionTitle: "session/set_title",
  mcpMessage: "mcp/message",
  initializeProxy: "proxy/initialize",
  proxySuccessor: "proxy/successor",
} as const;

/** The name of an unstable method. */
export type UnstableMethod = (typeof UNSTABLE_METHODS)[keyof typeof UNSTABLE_METHODS];

/** The error codes that the unstable schema reserves for failures of MCP over ACP. */
export const MCP_ERROR_CODES = {
  resourceLimitExceeded: -33000,
  serverUnavailable: -33001,
  backendFailed: -33002,
} as const;

/** The MCP revision that requests over ACP name, and the keys of `_meta` that carry it. */
export const MCP_REQUEST_META = {
  protocolVersion: "2026-07-28",
  protocolVersionKey: "io.modelcontextprotocol/protocolVersion",
  clientCapabilitiesKey: "io.modelcontextprotocol/clientCapabilities",
  clientInfoKey: "io.modelcontextprotocol/clientInfo",
} as const;

/** A method outside the protocol. The underscore marks it as an extension. */
export type ExtensionMethod = `_${string}`;

/** Whether a method's name marks it as an extension. */
export function isExtensionMethod(method: string): method is ExtensionMethod {
  return method.startsWith("_");
}

/** A call whose answer is parsed. */
export interface ParsedCallOptions<T> extends CallOptions {
  /** Turns the answer into the call's value. If it throws, the call rejects with that error. */
  readonly parse: (result: unknown) => T;
}

/**
 * A handler of extension messages that gets parsed params, for example with `schema.parse` of a
 * validation library. If `parse` throws, a request is answered with -32602 and the error's message, and a
 * notification is only logged.
 */
export function withParams<P, Rest extends unknown[], R>(
  parse: (params: unknown) => P,
  handler: (params: P, ...rest: Rest) => R,
): (params: unknown, ...rest: Rest) => R {
  return (params, ...rest) => {
    let parsed: P;
    try {
      parsed = parse(params);
    } catch (error) {
      throw new RpcError(RpcCode.invalidParams, `Invalid params: ${toError(error).message}`);
    }
    return handler(parsed, ...rest);
  };
}
