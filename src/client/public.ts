/** What `dragoman` publishes. */
export * from "./client.ts";
export type {
  AttachedSession,
  AttachOptions,
  SessionRole,
  SharedSessionInfo,
} from "./attach/attach.ts";
export type { AgentProviders, ListSessionsOptions, SessionList } from "./calls.ts";
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
  McpServerConfig,
  NamedValues,
  RemoteMcpServer,
  SessionOptions,
  StdioMcpServer,
  StoredSessionOptions,
  SystemPromptInput,
  UnstableConfig,
  UnstableSessionOptions,
} from "./session/session-options.ts";
export * from "./turn/typed-answer.ts";
export { type LinkDetails, type PromptContent, resourceLink } from "./turn/prompt-content.ts";
export type {
  ConnectedMcpServer,
  HandledMcpServer,
  InProcessMcpServer,
  McpMessage,
  McpRequest,
  McpSendOptions,
  McpTransport,
} from "./unstable/mcp.ts";
export type { ProtocolChoice } from "./v2/negotiate.ts";
export type { GateOptions, SessionGateOptions } from "./gate/access.ts";
export {
  PERMISSION_TABLE,
  type PermissionDecision,
  type PermissionFunction,
  type PermissionRequest,
  type Permissions,
  POLICY_NAMES,
  type PolicyName,
  type PolicyVerdict,
  type StickyScope,
} from "./gate/permissions/policy.ts";
export type {
  PermissionSubject,
  PermissionTargets,
  TargetCommand,
  TargetPath,
} from "./gate/permissions/targets.ts";
export * from "./gate/providers/provider.ts";
export { sliceLines } from "./gate/providers/text-window.ts";
export * from "./gate/providers/local-terminals.ts";
export * from "./errors.ts";
