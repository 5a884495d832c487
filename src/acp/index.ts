/** The parts of ACP v1 that clients and agents share. */
export type * from "./types.ts";
export {
  AGENT_METHODS,
  type AgentMethod,
  CLIENT_METHODS,
  type ClientMethod,
  ERROR_CODES,
  PROTOCOL_METHODS,
  PROTOCOL_VERSION,
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
  type PlanPriority,
  type PlanStatus,
  STOP_REASONS,
  type StopReason,
  TOOL_CALL_STATUSES,
  TOOL_KINDS,
} from "./vocabulary.ts";
export * from "./unstable/index.ts";
export * from "./v2/index.ts";
export { isContentBlock } from "./parse/guards.ts";
export { textOf, toToolCallChange, toToolCallPatch, toUpdate } from "./parse/update.ts";
export type {
  AgentMessageChunk,
  AgentThoughtChunk,
  CommandsChange,
  CompactionChange,
  CompactionChunk,
  ConfigOptionsChange,
  DiffUpdate,
  ModeChange,
  NoticeUpdate,
  PlanChange,
  SessionInfoChange,
  ShownContent,
  ToolCallChange,
  ToolCallPatch,
  UnknownUpdate,
  Update,
  UpdateOf,
  UpdateType,
  UsageChange,
  UserMessageChunk,
} from "./updates.ts";
export { KeptMap, weightOf } from "./state/kept-map.ts";
export {
  cancelUnfinished,
  isFinished,
  type LocalToolCallStatus,
  mergeToolCall,
  TOOL_CALL_RULES,
  type ToolCallState,
} from "./state/tool-calls.ts";
export {
  applyCancel,
  applySetup,
  applyUpdate,
  type CompactionState,
  createSessionState,
  type MessagePosition,
  nextMessage,
  type SessionSetup,
  type SessionState,
  type Usage,
} from "./state/session-state.ts";
export {
  type AgentCapability,
  agentCapabilityFor,
  agentHas,
  type ClientCapability,
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
export { ProtocolViolation } from "./errors.ts";
export {
  type InitializeResult,
  type PromptResult,
  readConfigOptionsResult,
  readEmptyResult,
  readInitializeResult,
  readListResult,
  readNewSessionResult,
  readPromptResult,
  readSetupResult,
} from "./parse/agent-results.ts";
export {
  type ElicitationAnswer,
  type TerminalExit,
  type PermissionOutcome,
  readCreateTerminalResult,
  readElicitationResult,
  readExitResult,
  readFileResult,
  readPermissionResult,
  readTerminalOutputResult,
  type TerminalOutput,
} from "./parse/client-results.ts";
export { checkParams, paramFaults } from "./parse/params.ts";
export type { ParamsOf, RawPermissionOption } from "./parse/params-types.ts";
export { type Fault, isAbsolutePath } from "./parse/shape.ts";
export {
  PERMISSION_CLASSES,
  type PermissionChoice,
  type PermissionClass,
  toPermissionChoices,
} from "./permissions.ts";
export { type NameValue, nameValueList } from "./parse/name-values.ts";
export {
  canonicalDialect,
  CROW_LOSSES,
  crowDialect,
  type CrowOptions,
  detectingRewriter,
  type DetectingRewriter,
  type DialectName,
  isCrowRefusal,
  METHOD_ALIASES,
  retryInitializeInCrow,
} from "./dialects/index.ts";
export { stringOr } from "./parse/guards.ts";
export {
  type ExtensionMethod,
  isExtension,
  type ParsedCallOptions,
  withParams,
} from "./extensions.ts";
export {
  type UpdateCarrier,
  type UpdateMeta,
  type Meta,
  metaField,
  metaOf,
  type MetaOptions,
  reportingMeta,
  type RequestOptions,
} from "./meta.ts";
