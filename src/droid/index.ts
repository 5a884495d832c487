/** `dragoman/droid`: a client for Factory's Droid, over `droid exec` with stream-jsonrpc. */
export type { SettingsReport } from "./session/open.ts";
export { DroidClient } from "./client.ts";
export {
  DroidError,
  DroidExitedError,
  DroidNotFoundError,
  DroidRequestError,
  UnsupportedByDroidError,
  type DroidErrorCode,
} from "./errors.ts";
export type {
  DroidEvent,
  ErrorEvent,
  McpEvent,
  NoticeEvent,
  PermissionResolvedEvent,
  PlanEvent,
  RetractedEvent,
  SettingsEvent,
  StateEvent,
  StructuredOutputEvent,
  TextEvent,
  ThinkingEvent,
  TitleEvent,
  ToolCallEvent,
  ToolProgressEvent,
  ToolResultEvent,
  UnknownEvent,
  UsageEvent,
} from "./turn/events.ts";
export { findExecutable, readVersion } from "./process/executable.ts";
export type { DroidFailure, FailureReason, TurnReason } from "./protocol/failures.ts";
export {
  readHistory,
  type HistoryPrompt,
  type HistoryResult,
  type HistoryStep,
  type HistoryTurn,
} from "./session/history.ts";
export type { McpServer, McpServerReport } from "./protocol/mcp.ts";
export type {
  CommandInfo,
  CompactResult,
  ContextBreakdown,
  ContextStats,
  McpToolInfo,
  MethodName,
  MethodParams,
  MethodResult,
  RewindFile,
  RewindInfo,
  RewindRequest,
  RewindResult,
  SkillInfo,
  ToolInfo,
} from "./protocol/methods.ts";
export type {
  DroidProcessOptions,
  NewSessionOptions,
  RewindOptions,
  SessionHandlers,
  SessionOptions,
} from "./options.ts";
export type {
  ConfirmationDetails,
  HandlerContext,
  ImpactLevel,
  PatchedFile,
  PermissionAnswer,
  PermissionHandler,
  PermissionOption,
  PermissionOptionValue,
  PermissionRequest,
  PermissionToolUse,
} from "./protocol/permissions.ts";
export type { PreparedDroid } from "./process/prepared.ts";
export { readPlan, type PlanEntry, type PlanStatus } from "./protocol/plan.ts";
export type { PromptFile, PromptImage, PromptInput, PromptOptions } from "./protocol/prompt.ts";
export type {
  ContentBlock,
  DroidMessage,
  GitRepo,
  McpServerStatus,
  ModelInfo,
  TokenUsage,
  ToolUse,
  WorkingState,
} from "./protocol/protocol.ts";
export type {
  AskUserAnswer,
  AskUserHandler,
  AskUserRequest,
  Question,
} from "./protocol/questions.ts";
export type { ListOptions, SessionFilesOptions, SessionSummary } from "./session/session-files.ts";
export type { SessionInfo } from "./protocol/session-info.ts";
export type { EventListener } from "./session/session.ts";
export type {
  Autonomy,
  DroidSettings,
  IgnoredSetting,
  InteractionMode,
  ReasoningEffort,
  SettingsChange,
} from "./protocol/settings.ts";
export type { Turn, TurnResult } from "./turn/turn.ts";
export { TESTED_VERSIONS, type DroidVersion, type TestedRange } from "./protocol/versions.ts";
