/** What `dragoman/droid` publishes. */
export type { SettingsReport } from "./session/open.ts";
export * from "./client.ts";
export * from "./run.ts";
export {
  listModels,
  type ListModelsOptions,
  type PreparedProcess,
  findExecutable,
  readVersion,
} from "./process/prepared.ts";
export {
  combinedHooks,
  type DroidHooks,
  type ToolEndInfo,
  type ToolStartInfo,
  type TurnEndInfo,
  type TurnStartInfo,
} from "./hooks.ts";
export * from "./open-telemetry.ts";
export {
  type DroidSystemPrompt,
  type DroidTag,
  type DroidSessionInfo,
  type DroidMcpServer,
  type McpServerReport,
  type WorkingState,
} from "./protocol/session.ts";
export * from "./errors.ts";
export type * from "./turn/events.ts";
export type { DroidFailure, DroidStopReason, FailureReason } from "./protocol/failures.ts";
export * from "./session/history.ts";
export type {
  CommandInfo,
  CompactResult,
  ContextBreakdown,
  RewindFile,
  RewindInfo,
  RewindRequest,
  RewindResult,
  SkillInfo,
  ToolInfo,
  MethodName,
  MethodParams,
  MethodResult,
  MethodSpec,
  ServerAndLevel,
} from "./protocol/methods.ts";
export type { McpToolInfo } from "./protocol/mcp.ts";
export type * from "./options.ts";
export type { WaitOptions } from "./wait.ts";
export type {
  ConfirmationDetails,
  DroidPermissionAnswer,
  DroidPermissionHandler,
  DroidPermissionOption,
  DroidPermissionOptionValue,
  DroidPermissionRequest,
  HandlerContext,
  ImpactLevel,
  PatchedFile,
  PermissionToolUse,
  AskUserAnswer,
  AskUserHandler,
  AskUserQuestion,
  AskUserRequest,
} from "./protocol/requests.ts";
export {
  type DroidPlanEntry,
  type DroidPlanStatus,
  type DroidContentBlock,
  type DroidMessage,
  type DroidRole,
  type GitRepo,
  type McpServerState,
  type McpServerStatus,
  type ModelInfo,
  type ToolUse,
  type Visibility,
} from "./protocol/messages.ts";
export { readPlan } from "./protocol/plan.ts";
export type {
  DroidPrompt,
  DroidPromptOptions,
  PromptFile,
  PromptImage,
  PromptInput,
} from "./protocol/prompt.ts";
export type { ListOptions, SessionFilesOptions, SessionSummary } from "./session/session-files.ts";
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
export { type DroidVersion, TESTED_VERSIONS, type TestedRange } from "./protocol/versions.ts";
