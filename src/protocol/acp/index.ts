/** The parts of ACP v1 that clients and agents share. */
export type * from "./types/shared.ts";
export {
  ERROR_CODES,
  PROTOCOL_VERSION,
  type ExtensionMethod,
  type ParsedCallOptions,
  withParams,
} from "./methods.ts";
export type { StopReason } from "./vocabulary.ts";
export type {
  AuthStatus,
  PlanContent,
  ProviderInfo,
  ProviderSettings,
  SessionArchiveFilter,
  SessionInfo,
  SubagentActivity,
  SystemPromptMode,
  TokenUsage,
} from "./types/unstable.ts";
export type { ContextUsage } from "./state/session-state.ts";
export { ProtocolViolation } from "./errors.ts";
export type { TerminalExit } from "./parse/results.ts";
export type { Fault } from "./parse/shape.ts";
export type { CrowOptions } from "./dialects/crow.ts";
export type { DialectName } from "./dialects/detect.ts";
export type { Meta, MetaOptions, RequestOptions } from "./meta.ts";
export type * from "./types/client.ts";
export type { SessionStatus, UnstableAgentCapabilities } from "./types/unstable.ts";
export type * from "./updates.ts";
export { isAnyUpdate } from "./updates.ts";
export type {
  SessionMessageState,
  SubagentState,
  AgentTerminalState,
} from "./state/session-state.ts";
export { textOf } from "./parse/update.ts";
export type { LocalToolCallStatus, ToolCallState } from "./state/tool-calls.ts";
export type { PromptResult } from "./parse/results.ts";
export type { PermissionChoice } from "./parse/params.ts";
export type { NameValue } from "./parse/guards.ts";
export type * from "./types/agent.ts";
export type { PlanPriority, PlanStatus } from "./vocabulary.ts";
export type {
  McpErrorObject,
  McpServer,
  SessionMessageDetails,
  SessionUpdate,
  SubagentDetails,
  SystemPrompt,
  UnstableClientCapabilities,
  UnstableSessionUpdate,
} from "./types/unstable.ts";
export type { ClientCapability } from "./capabilities.ts";
export type { ElicitationAnswer, TerminalOutput } from "./parse/results.ts";
export type * from "./types.ts";
export type { McpMessageParams, McpOutcome, ProxyMessage } from "./types/unstable.ts";
export * from "./methods.ts";
export * from "./vocabulary.ts";
export * from "./capabilities.ts";
export * from "./meta.ts";
export type { PermissionDecision, StickyScope } from "./permission-decision.ts";
export * from "./parse/params.ts";
export * from "./parse/results.ts";
export {
  isContentBlock,
  canonicalNameValues,
  stringOrUndefined,
  isAbsolutePath,
} from "./parse/guards.ts";
export { toToolCallChange, toToolCallPatch, toUpdate } from "./parse/update.ts";
export * from "./state/bounded-map.ts";
export * from "./state/session-state.ts";
export * from "./state/tool-calls.ts";
export * from "./dialects/canonical.ts";
export { crowDialect, isCrowRefusal } from "./dialects/crow.ts";
export * from "./dialects/detect.ts";
