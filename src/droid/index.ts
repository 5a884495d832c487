/** `dragoman/droid`: a client for Factory's Droid, over `droid exec` with stream-jsonrpc. */
export type { SettingsReport } from "./session/open.ts";
export { DroidClient, type PreparedDroid } from "./client.ts";
export type { PreparedProcess } from "./process/prepared.ts";
export type { WaitOptions } from "./wait.ts";
export { run, type DroidRunAnswer, type DroidRunOptions, type DroidRunResult } from "./run.ts";
export { typedAnswer, type DroidAnswer, type DroidAnswerOptions } from "./typed-answer.ts";
export { type InstructionsFile, writeInstructions } from "./process/instructions-file.ts";
export { listModels, type ListModelsOptions } from "./process/models.ts";
export {
  combinedHooks,
  type DroidHooks,
  type ToolEndInfo,
  type ToolStartInfo,
  type TurnEndInfo,
  type TurnStartInfo,
} from "./hooks.ts";
export {
  openTelemetryHooks,
  type OpenTelemetryApi,
  type OpenTelemetrySpan,
} from "./open-telemetry.ts";
export type { DroidSystemPrompt, DroidTag } from "./protocol/session-params.ts";
export { DroidTurnError } from "./turn/turn-error.ts";
export {
  DroidBusyError,
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
export type { DroidFailure, FailureReason, DroidStopReason } from "./protocol/failures.ts";
export {
  readHistory,
  type HistoryPrompt,
  type HistoryResult,
  type HistoryStep,
  type HistoryTurn,
} from "./session/history.ts";
export type { DroidMcpServer, McpServerReport } from "./protocol/mcp.ts";
export type {
  CommandInfo,
  CompactResult,
  ContextBreakdown,
  ContextStats,
  McpToolInfo,
  RewindFile,
  RewindInfo,
  RewindRequest,
  RewindResult,
  SkillInfo,
  ToolInfo,
} from "./protocol/method-objects.ts";
export type {
  MethodName,
  MethodParams,
  MethodResult,
  MethodSpec,
  ServerAndLevel,
} from "./protocol/methods.ts";
export type {
  DroidProcessOptions,
  NewDroidSessionOptions,
  RewindOptions,
  SessionHandlers,
  DroidSessionOptions,
} from "./options.ts";
export type {
  ConfirmationDetails,
  HandlerContext,
  ImpactLevel,
  PatchedFile,
  DroidPermissionAnswer,
  DroidPermissionHandler,
  DroidPermissionOption,
  DroidPermissionOptionValue,
  DroidPermissionRequest,
  PermissionToolUse,
} from "./protocol/permissions.ts";
export { readPlan, type DroidPlanEntry, type DroidPlanStatus } from "./protocol/plan.ts";
export type {
  PromptFile,
  PromptImage,
  PromptInput,
  DroidPromptOptions,
} from "./protocol/prompt.ts";
export type {
  DroidContentBlock,
  DroidMessage,
  DroidRole,
  GitRepo,
  McpServerState,
  McpServerStatus,
  ModelInfo,
  TokenUsage,
  ToolUse,
  Visibility,
  WorkingState,
} from "./protocol/protocol.ts";
export type {
  AskUserAnswer,
  AskUserHandler,
  AskUserRequest,
  AskUserQuestion,
} from "./protocol/questions.ts";
export type { ListOptions, SessionFilesOptions, SessionSummary } from "./session/session-files.ts";
export type { DroidSessionInfo } from "./protocol/session-info.ts";
export type { DroidEventListener } from "./session/session.ts";
export type {
  Autonomy,
  ComparedSetting,
  DroidSettings,
  IgnoredSetting,
  InteractionMode,
  ReasoningEffort,
  SettingsChange,
  ToolSelection,
} from "./protocol/settings.ts";
export type { DroidTurn, DroidTurnResult } from "./turn/turn.ts";
export { TESTED_VERSIONS, type DroidVersion, type TestedRange } from "./protocol/versions.ts";
export { findSession } from "./session/session-files.ts";
export { capabilitiesOf, testedRange } from "./protocol/versions.ts";
