/** `dragoman/agent`: write an agent that any ACP client can use. */
export { serveAgent, serveAgents } from "./connection/connection.ts";
export type * from "./definition.ts";
export type { Client } from "./connection/client.ts";
export type {
  AgentSession,
  SessionWorkspace,
  WorkEnd,
  SubagentHandle,
  UnstableSession,
} from "./session/session.ts";
export type { Notice, SendOptions, SessionSender, UnstableSender } from "./session/sender.ts";
export type { Turn, TurnEnd } from "./turn/turn.ts";
export type * from "./turn/work.ts";
export type {
  ReportedTerminal,
  TerminalReport,
  Terminal,
  TerminalCommand,
} from "./turn/terminals.ts";
export type {
  FormQuestion,
  PermissionAnswer,
  PermissionQuestion,
  UrlAnswer,
  UrlQuestion,
} from "./turn/questions.ts";
export type { ToolCallDetails, ToolCallHandle, ToolCallStart } from "./turn/tool-call.ts";
export { type McpCaller, type McpCallOptions, McpError } from "./unstable/mcp.ts";
export * from "./unstable/proxy.ts";
export { pageOf } from "./session/list-sessions.ts";
export {
  authRequired,
  BacklogError,
  invalidParams,
  invalidRequest,
  SessionClosedError,
  sessionNotFound,
  TurnCancelledError,
  TurnEndedError,
  UnsupportedByClientError,
} from "./errors.ts";
