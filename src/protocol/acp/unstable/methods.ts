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
