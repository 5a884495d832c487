/** `dragoman/agent`: write an agent that any ACP client can use. */
export * from "./serve.ts";
export type * from "./definition.ts";
export type { Client } from "./connection/client.ts";
export type { AgentSession, SessionWorkspace, WorkEnd } from "./session/session.ts";
export type {
  CompactionDetails,
  Notice,
  SendOptions,
  SessionSender,
  UnstableSender,
} from "./session/sender.ts";
export type { Turn } from "./turn/turn.ts";
export type * from "./turn/work.ts";
export type { ReportedExit, ReportedTerminal, TerminalReport } from "./v2/reported-terminal.ts";
export type { PermissionAnswer, PermissionQuestion } from "./turn/permission.ts";
export type { ToolCallDetails, ToolCallHandle, ToolCallStart } from "./turn/tool-call.ts";
export type { Terminal, TerminalCommand } from "./turn/terminal.ts";
export type { FormQuestion, UrlAnswer, UrlQuestion } from "./turn/elicitation.ts";
export { type McpCaller, type McpCallOptions, McpError } from "./unstable/mcp.ts";
export * from "./unstable/proxy.ts";
export type { SubagentHandle, UnstableSession } from "./unstable/subagent.ts";
export { pageOf } from "./session/listing.ts";
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
