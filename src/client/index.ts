/** `dragoman`: a client for agents that speak the Agent Client Protocol. */
export { AcpClient } from "./client.ts";
export type { AttachedSession, AttachOptions, SharedSessionInfo } from "./attach/attach.ts";
export {
  ATTACH_META,
  ATTACH_METHODS,
  readSharedSession,
  ROOT_META,
  SEQ_META,
  type SessionRole,
} from "./attach/extension.ts";
export { choicesOf } from "./session/choices.ts";
export type { ListSessionsOptions } from "./session/session-list.ts";
export type {
  AcpClientConfig,
  ChannelTarget,
  CommandTarget,
  ConnectionConfig,
  UrlTarget,
} from "./config.ts";
export type { AgentDescription } from "./start.ts";
export { openUrl } from "./remote.ts";
export type {
  ExtensionOptions,
  ExtensionRequestScope,
  ExtensionScope,
} from "./connection/extensions.ts";
export type { RunLogin } from "./auth.ts";
export type { Timeouts } from "./connection/timeouts.ts";
export type { BufferLimits } from "./turn/update-stream.ts";

export type { PromptOptions, Session, WhenBusy } from "./session/session.ts";
export type {
  LoadSessionOptions,
  SessionOptions,
  StoredSessionOptions,
} from "./session/session-options.ts";
export type { ExtensionEvent, SessionEvent, TurnEnded, TurnStarted } from "./session/events.ts";
export type { CancelOptions, PromptTurn, TurnResult } from "./turn/turn.ts";
export { typedAnswer, type TypedAnswerOptions } from "./turn/typed-answer.ts";
export type { TurnState } from "./turn/turn-state.ts";
export { resourceLink, type LinkDetails, type PromptContent } from "./turn/prompt-content.ts";
export type {
  McpServerConfig,
  NamedValues,
  RemoteMcpServer,
  StdioMcpServer,
} from "./session/mcp-servers.ts";

export type { AgentProviders } from "./unstable/calls.ts";
export type {
  SystemPromptInput,
  UnstableConfig,
  UnstableSessionOptions,
} from "./unstable/options.ts";
export type { McpRequest } from "./unstable/mcp-request.ts";
export type {
  ConnectedMcpServer,
  HandledMcpServer,
  InProcessMcpServer,
} from "./unstable/mcp-server.ts";
export type { McpMessage, McpSendOptions, McpTransport } from "./unstable/mcp-transport.ts";
export type { Subagent } from "./unstable/subagent.ts";
export type { ProtocolChoice } from "./v2/negotiate.ts";

export type { SessionAccess, SessionGateOptions } from "./gate/access.ts";
export type { GateLike, GateSession } from "./gate/contract.ts";
export { cancelledError, deniedError } from "./gate/errors.ts";
export { PermissionMemory } from "./gate/permissions/memory.ts";
export { createGate } from "./gate/gate.ts";
export { JailError } from "./gate/jail/errors.ts";
export { diskWorkspace } from "./gate/workspace/disk-workspace.ts";
export type { Workspace } from "./gate/workspace/workspace.ts";
export type { GateOptions } from "./gate/options.ts";
export type { RequestMeta } from "./gate/request-meta.ts";
export type {
  PermissionDecision,
  PermissionFunction,
  PermissionRequest,
  Permissions,
  StickyScope,
} from "./gate/permissions/policy.ts";
export type { PermissionSubject, RequestedWork } from "./gate/permissions/subject.ts";
export {
  canChangeCommand,
  type Mentions,
  type PermissionTargets,
  type TargetCommand,
  type TargetPath,
} from "./gate/permissions/targets.ts";
export { coveredTargets, isInside, locateMentions, WORK_KINDS } from "./gate/permissions/locate.ts";
export {
  PERMISSION_TABLE,
  POLICY_NAMES,
  type PolicyName,
  type PolicyVerdict,
} from "./gate/permissions/table.ts";
export type {
  FsOptions,
  FsProvider,
  ReadFile,
  ReadRequest,
  VirtualFsProvider,
  WriteFile,
  WriteRequest,
} from "./gate/providers/fs.ts";
export { type LineWindow, sliceLines } from "./gate/providers/line-window.ts";
export type {
  ProvidedTerminal,
  TerminalEvent,
  TerminalProvider,
  TerminalRequest,
} from "./gate/providers/terminal.ts";
export { localTerminals, type LocalTerminalsOptions } from "./gate/providers/local-terminals.ts";
export type {
  ElicitationProvider,
  ElicitationReply,
  ElicitationScope,
  FormElicitation,
  UrlElicitation,
} from "./gate/providers/elicitation.ts";

export {
  AlreadyReadError,
  AuthRequiredError,
  BusyError,
  CancelIgnoredError,
  CapabilityError,
  ClientError,
  type ClientErrorCode,
  InvalidArgumentError,
  LoginError,
  SessionError,
  StartError,
  TimeoutError,
  TurnIncompleteError,
  type TimeoutKind,
  UnsupportedVersionError,
  UpdatesLostError,
} from "./errors.ts";

export { DEFAULT_TIMEOUTS } from "./connection/timeouts.ts";
export { authMethod, isTerminalMethod, loginCommand } from "./auth.ts";
export { runInTerminal } from "./platform.ts";
export { allows, chooseOption, OWN_OPTIONS } from "./gate/permissions/policy.ts";
