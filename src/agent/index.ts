/** `dragoman/agent`: write an agent that any ACP client can use. */
export { serveAgent } from "./serve.ts";
export { serveAgents } from "./serve-agents.ts";
export type { ServeOptions } from "./serve-options.ts";
export type {
  AgentDefinition,
  Awaitable,
  EmptyAnswer,
  ListRequest,
  Opened,
  RequestScope,
  SessionPage,
  SessionReplay,
  SessionReopen,
  SessionStart,
  TurnEnd,
} from "./definition.ts";
export type { CapabilityMeta, CapabilityPath } from "./capability-meta.ts";
export type { Client } from "./connection/client-link.ts";
export type { AgentSession, SessionWorkspace, WorkEnd } from "./session/session.ts";
export type { CompactionDetails, Notice, SessionSender } from "./session/session-sender.ts";
export type { SendOptions } from "./session/deliver.ts";
export type { Turn } from "./turn/turn.ts";
export type {
  AgentWork,
  ReadRange,
  ToolPermissionAnswer,
  ToolPermissionRequest,
} from "./turn/work.ts";
export type { ReportedExit, ReportedTerminal, TerminalReport } from "./v2/reported-terminal.ts";
export type { PermissionAnswer, PermissionQuestion } from "./turn/permission.ts";
export type { ToolCallDetails, ToolCallHandle, ToolCallStart } from "./turn/tool-call.ts";
export type { Terminal, TerminalCommand } from "./turn/terminal.ts";
export type { FormQuestion, UrlAnswer, UrlQuestion } from "./turn/elicitation.ts";
export type {
  ProviderHandlers,
  UnstableDefinition,
  UnstableListRequest,
  UnstableSessionStart,
} from "./unstable/definition.ts";
export { type McpCaller, type McpCallOptions, McpError } from "./unstable/mcp.ts";
export {
  type ProxiedMessage,
  type ProxiedRequest,
  type ProxyDefinition,
  type ProxyHandlers,
  serveProxy,
} from "./unstable/proxy.ts";
export type { UnstableSender } from "./unstable/sender.ts";
export type { UnstableSession } from "./unstable/session.ts";
export type { SubagentHandle } from "./unstable/subagent.ts";
export { META_KEYS } from "../v2/index.ts";
export { pageOf } from "./session/pages.ts";
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
