/** `dragoman/agent`: write an agent that any ACP client can use. */
export * from "./serve.ts";
export * from "./serve-agents.ts";
export type * from "./serve-options.ts";
export type {
  AgentDefinition,
  ListRequest,
  Opened,
  SessionPage,
  SessionReopen,
  SessionReplay,
  SessionStart,
  TurnEnd,
} from "./definition.ts";
export type * from "./request-scope.ts";
export type { CapabilityMeta, CapabilityPath } from "./capability-meta.ts";
export type { Client } from "./connection/client-link.ts";
export type { AgentSession, SessionWorkspace, WorkEnd } from "./session/session.ts";
export type { CompactionDetails, Notice, SessionSender } from "./session/session-sender.ts";
export type { SendOptions } from "./session/deliver.ts";
export type * from "./turn/turn.ts";
export type * from "./turn/work.ts";
export type { ReportedExit, ReportedTerminal, TerminalReport } from "./v2/reported-terminal.ts";
export type { PermissionAnswer, PermissionQuestion } from "./turn/permission.ts";
export type { ToolCallDetails, ToolCallHandle, ToolCallStart } from "./turn/tool-call.ts";
export type { Terminal, TerminalCommand } from "./turn/terminal.ts";
export type { FormQuestion, UrlAnswer, UrlQuestion } from "./turn/elicitation.ts";
export type * from "./unstable/definition.ts";
export { type McpCaller, type McpCallOptions, McpError } from "./unstable/mcp.ts";
export * from "./unstable/proxy.ts";
export type { UnstableSender } from "./unstable/sender.ts";
export type { UnstableSession } from "./unstable/session.ts";
export type { SubagentHandle } from "./unstable/subagent.ts";
export * from "./session/pages.ts";
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
