/** `dragoman/droid`: a client for Factory's Droid, over `droid exec` with stream-jsonrpc. */
export type { SettingsReport } from "./beginning.ts";
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
} from "./events.ts";
export { findExecutable, readVersion } from "./executable.ts";
export type { DroidFailure, FailureReason, TurnReason } from "./failures.ts";
export {
  readHistory,
  type HistoryPrompt,
  type HistoryResult,
  type HistoryStep,
  type HistoryTurn,
} from "./history.ts";
export type { McpServer, McpServerReport } from "./mcp.ts";
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
} from "./methods.ts";
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
} from "./permissions.ts";
export type { PreparedDroid } from "./prepared.ts";
export { readPlan, type PlanEntry, type PlanStatus } from "./plan.ts";
export type { PromptFile, PromptImage, PromptInput, PromptOptions } from "./prompt.ts";
export type {
  ContentBlock,
  DroidMessage,
  GitRepo,
  McpServerStatus,
  ModelInfo,
  TokenUsage,
  ToolUse,
  WorkingState,
} from "./protocol.ts";
export type { AskUserAnswer, AskUserHandler, AskUserRequest, Question } from "./questions.ts";
export type { ListOptions, SessionFilesOptions, SessionSummary } from "./session-files.ts";
export type { SessionInfo } from "./session-info.ts";
export type { EventListener } from "./session.ts";
export type {
  Autonomy,
  DroidSettings,
  IgnoredSetting,
  InteractionMode,
  ReasoningEffort,
  SettingsChange,
} from "./settings.ts";
export type { Turn, TurnResult } from "./turn.ts";
export { TESTED_VERSIONS, type DroidVersion, type TestedRange } from "./versions.ts";
