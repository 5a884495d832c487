/** The parts of ACP v1 that clients and agents share. */
export * from "./public-client.ts";
export * from "./public-agent.ts";
export type * from "./types/requests.ts";
export {
  AGENT_METHODS,
  type AgentMethod,
  CLIENT_METHODS,
  type ClientMethod,
  PROTOCOL_METHODS,
  type ProtocolMethod,
} from "./methods.ts";
export {
  isPermissionOptionKind,
  isPlanPriority,
  isPlanStatus,
  isStopReason,
  isToolCallStatus,
  isToolKind,
  PERMISSION_OPTION_KINDS,
  PLAN_PRIORITIES,
  PLAN_STATUSES,
  STOP_REASONS,
  TOOL_CALL_STATUSES,
  TOOL_KINDS,
} from "./vocabulary.ts";
export type { McpMessageParams, McpOutcome, ProxyMessage } from "./unstable/types.ts";
export * from "./unstable/methods.ts";
export {
  isUnstableCapability,
  usableCapabilities,
  withUnstableAgentCapabilities,
  withUnstableClientCapabilities,
} from "./unstable/capabilities.ts";
export * from "./unstable/results.ts";
export * from "./unstable/system-prompt.ts";
export { applyV2Update, createV2State } from "./v2/state.ts";
export { isContentBlock, stringOr } from "./parse/guards.ts";
export { toToolCallChange, toToolCallPatch, toUpdate } from "./parse/update.ts";
export { KeptMap, weightOf } from "./state/kept-map.ts";
export {
  cancelUnfinished,
  isFinished,
  mergeToolCall,
  TOOL_CALL_RULES,
} from "./state/tool-calls.ts";
export {
  applyCancel,
  applySetup,
  applyUpdate,
  createSessionState,
  type MessagePosition,
  nextMessage,
  type SessionSetup,
  type SessionState,
} from "./state/session-state.ts";
export {
  type AgentCapability,
  agentCapabilityFor,
  agentHas,
  clientCapabilityFor,
  clientHas,
  elicitationCapability,
  mcpServerKind,
  mcpServerLacks,
  promptBlockAllowed,
  promptBlockLacks,
  readAgentCapabilities,
  readClientCapabilities,
} from "./capabilities.ts";
export {
  type InitializeResult,
  readConfigOptionsResult,
  readEmptyResult,
  readInitializeResult,
  readListResult,
  readNewSessionResult,
  readPromptResult,
  readSetupResult,
} from "./parse/agent-results.ts";
export {
  type PermissionOutcome,
  readCreateTerminalResult,
  readElicitationResult,
  readExitResult,
  readFileResult,
  readPermissionResult,
  readTerminalOutputResult,
} from "./parse/client-results.ts";
export { checkParams, paramFaults } from "./parse/params.ts";
export type { ParamsOf } from "./parse/params-types.ts";
export { isAbsolutePath } from "./parse/shape.ts";
export { PERMISSION_CLASSES, type PermissionClass, toPermissionChoices } from "./permissions.ts";
export { nameValueList } from "./parse/name-values.ts";
export * from "./dialects/canonical.ts";
export { CROW_LOSSES } from "./dialects/crow-losses.ts";
export * from "./dialects/crow.ts";
export {
  detectingRewriter,
  type DetectingRewriter,
  isCrowRefusal,
  retryInitializeInCrow,
} from "./dialects/detect.ts";
export { isExtension } from "./extensions.ts";
export { metaField, metaOf, reportingMeta } from "./meta.ts";
