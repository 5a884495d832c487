/** `dragoman/agent`: write an agent that any ACP client can use. */
export { serveAgent, type ServeOptions } from "./serve.ts";
export { stdioChannel } from "./connection/stdio.ts";
export type {
  AgentDefinition,
  Awaitable,
  ListRequest,
  Opened,
  RequestScope,
  SessionPage,
  SessionReplay,
  SessionReturn,
  SessionStart,
  TurnEnd,
} from "./definition.ts";
export type { Client, ExtensionMethod } from "./connection/client-link.ts";
export type { AgentSession, SessionPlace } from "./session/session.ts";
export type { Notice, Outlet, Usage } from "./session/session-sender.ts";
export type { PermissionRequest, ReadRange, ToolPermission, Turn } from "./turn/turn.ts";
export type { PermissionAnswer, PermissionQuestion } from "./turn/permission.ts";
export type { ToolCallDetails, ToolCallHandle, ToolCallStart } from "./turn/tool-call.ts";
export type { Terminal, TerminalCommand } from "./turn/terminal.ts";
export type { FormQuestion, UrlAnswer, UrlQuestion } from "./turn/elicitation.ts";
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
export { CallCancelledError, ConnectionError, RemoteError, RpcError } from "../rpc/errors.ts";
export { describeClose, type Channel, type CloseReason, type ExitStatus } from "../wire/channel.ts";
export type { Logger } from "../wire/logger.ts";
export { memoryPair } from "../wire/channels/memory.ts";
export type { StreamChannelOptions } from "../wire/channels/stream.ts";
export { ERROR_CODES, PROTOCOL_VERSION } from "../acp/methods.ts";
export { ProtocolViolation } from "../acp/errors.ts";
export type { ClientCapability } from "../acp/capabilities.ts";
export type { CrowOptions } from "../acp/dialects/crow-options.ts";
export type { DialectName } from "../acp/dialects/detect.ts";
export type {
  ElicitationAnswer,
  TerminalExit,
  TerminalOutput,
} from "../acp/parse/client-results.ts";
export type { Fault } from "../acp/parse/shape.ts";
export type {
  PermissionOptionKind,
  PlanPriority,
  PlanStatus,
  StopReason,
  ToolCallStatus,
  ToolKind,
} from "../acp/vocabulary.ts";
export type {
  AuthMethod,
  AvailableCommand,
  ClientCapabilities,
  ContentBlock,
  Cost,
  ElicitationContentValue,
  ElicitationSchema,
  Implementation,
  McpCapabilities,
  McpServer,
  PermissionOption,
  PlanEntry,
  PromptCapabilities,
  SessionConfigOption,
  SessionInfo,
  SessionModeState,
  SessionUpdate,
  ToolCallContent,
  ToolCallLocation,
  ToolCallUpdate,
} from "../acp/types.ts";
