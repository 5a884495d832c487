/** What `dragoman` publishes. */
export * from "./client.ts";
export type { AttachedSession } from "./attach/attached-session.ts";
export type { AttachOptions } from "./attach/attach.ts";
export type { SessionRole, SharedSessionInfo } from "./attach/extension.ts";
export type { ListSessionsOptions } from "./session/session-list.ts";
export type {
  AcpClientConfig,
  ChannelTarget,
  CommandTarget,
  ConnectionConfig,
  UrlTarget,
} from "./config.ts";
export type { AgentDescription } from "./start.ts";
export type {
  ExtensionOptions,
  ExtensionRequestScope,
  ExtensionScope,
} from "./connection/extensions.ts";
export type { RunLogin } from "./auth.ts";
export type { Timeouts } from "./connection/timeouts.ts";
export type { BufferLimits } from "./turn/update-stream.ts";
export type * from "./session/session.ts";
export type {
  LoadSessionOptions,
  SessionOptions,
  StoredSessionOptions,
} from "./session/session-options.ts";
export type * from "./session/events.ts";
export type * from "./turn/turn.ts";
export * from "./turn/typed-answer.ts";
export type { TurnState } from "./turn/turn-state.ts";
export { type LinkDetails, type PromptContent, resourceLink } from "./turn/prompt-content.ts";
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
export type * from "./unstable/mcp-request.ts";
export type * from "./unstable/mcp-server.ts";
export type { McpMessage, McpSendOptions, McpTransport } from "./unstable/mcp-transport.ts";
export type { Subagent } from "./unstable/subagent.ts";
export type { ProtocolChoice } from "./v2/negotiate.ts";
export type { SessionGateOptions } from "./gate/access.ts";
export type { GateOptions } from "./gate/options.ts";
export type { RequestMeta } from "./gate/request-meta.ts";
export type {
  PermissionDecision,
  PermissionFunction,
  PermissionRequest,
  Permissions,
  StickyScope,
} from "./gate/permissions/policy.ts";
export type { PermissionSubject } from "./gate/permissions/subject.ts";
export type { PermissionTargets, TargetCommand, TargetPath } from "./gate/permissions/targets.ts";
export * from "./gate/permissions/table.ts";
export type {
  FsOptions,
  FsProvider,
  ReadFile,
  ReadRequest,
  VirtualFsProvider,
  WriteFile,
  WriteRequest,
} from "./gate/providers/fs.ts";
export * from "./gate/providers/line-window.ts";
export type * from "./gate/providers/terminal.ts";
export * from "./gate/providers/local-terminals.ts";
export type * from "./gate/providers/elicitation.ts";
export * from "./errors.ts";
