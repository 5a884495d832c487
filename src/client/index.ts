/** `dragoman`: a client for agents that speak the Agent Client Protocol. */
export * from "./client.ts";
export type { AttachedSession, SharedSessionInfo } from "./attach/attach.ts";
export type { AgentProviders, SessionList } from "./calls.ts";
export type { AcpClientConfig, ConnectionConfig, UrlTarget } from "./config.ts";
export type { Timeouts } from "./connection/timeouts.ts";
export type * from "./session/session.ts";
export type {
  LoadSessionOptions,
  McpServerConfig,
  SessionOptions,
  StoredSessionOptions,
  UnstableConfig,
  UnstableSessionOptions,
} from "./session/session-options.ts";
export { type PromptContent, resourceLink } from "./turn/prompt-content.ts";
export type { InProcessMcpServer, McpRequest, McpTransport } from "./unstable/mcp.ts";
export type { ProtocolChoice } from "./v2/negotiate.ts";
export type { GateOptions } from "./gate/access.ts";
export {
  type PermissionFunction,
  type PermissionRequest,
  type Permissions,
  type PolicyName,
} from "./gate/permissions/policy.ts";
export type { PermissionTargets, TargetCommand, TargetPath } from "./gate/permissions/targets.ts";
export * from "./gate/providers/provider.ts";
export { sliceLines } from "./gate/providers/text-window.ts";
export * from "./gate/providers/local-terminals.ts";
export * from "./errors.ts";
export { readSharedSession } from "./attach/attach.ts";
export { ATTACH_META, ATTACH_METHODS, ROOT_META, SEQ_META } from "./attach/extension.ts";
export { configOptionValues } from "./session/config-options.ts";
export { collectAnswer } from "./turn/collect-answer.ts";
export { type AgentDescription, openUrl } from "./start.ts";
export type { GateSession, SessionAccess } from "./gate/access.ts";
export { cancelledError, deniedError } from "./gate/rpc-errors.ts";
export { PermissionMemory } from "./gate/permissions/memory.ts";
export * from "./gate/gate.ts";
export { JailError } from "./gate/jail/errors.ts";
export { diskWorkspace } from "./gate/workspace/disk-workspace.ts";
export type { Workspace } from "./gate/workspace/virtual-workspace.ts";
export {
  canChangeCommand,
  coveredTargets,
  isInside,
  locateMentions,
  type Mentions,
  type RequestedWork,
  WORK_KINDS,
} from "./gate/permissions/targets.ts";
export { START_OPTIONS } from "./config.ts";
export { DEFAULT_TIMEOUTS } from "./connection/timeouts.ts";
export { authMethod, isTerminalMethod, loginCommand } from "./auth.ts";
export { runInTerminal } from "./platform.ts";
export { OWN_OPTIONS, allows, chooseOption } from "./gate/permissions/policy.ts";
