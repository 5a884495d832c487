import { RpcCode } from "../../transport/rpc/index.ts";

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
