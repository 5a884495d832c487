/** `dragoman/droid`: a client for Factory's Droid, over `droid exec` with stream-jsonrpc. */
export { DroidClient, type PreparedDroid } from "./client.ts";
export { type DroidRunOptions, run } from "./run.ts";
export {
  findExecutable,
  listModels,
  type ListModelsOptions,
  type PreparedProcess,
  readVersion,
} from "./process/prepared.ts";
export { combinedHooks, type DroidHooks } from "./hooks.ts";
export { openTelemetryHooks } from "./open-telemetry.ts";
export * from "./errors.ts";
export type {
  DroidMcpServer,
  DroidSessionInfo,
  McpServerReport,
  WorkingState,
} from "./protocol/session.ts";
export type { DroidEvent } from "./turn/events.ts";
export type { DroidFailure, DroidStopReason } from "./protocol/failures.ts";
export type { HistoryTurn } from "./session/history.ts";
export type {
  CommandInfo,
  CompactResult,
  MethodName,
  MethodParams,
  MethodResult,
  RewindInfo,
  RewindResult,
  SkillInfo,
  ToolInfo,
} from "./protocol/methods.ts";
export type * from "./options.ts";
export type { WaitOptions } from "./wait.ts";
export type {
  AskUserAnswer,
  AskUserHandler,
  AskUserRequest,
  ConfirmationDetails,
  DroidPermissionAnswer,
  DroidPermissionHandler,
  DroidPermissionRequest,
} from "./protocol/requests.ts";
export type { ModelInfo } from "./protocol/messages.ts";
export type { DroidPrompt, DroidPromptOptions, PromptInput } from "./protocol/prompt.ts";
export type { ListOptions, SessionFilesOptions, SessionSummary } from "./session/session-files.ts";
export type { SettingsReport } from "./session/open.ts";
export type { DroidEventListener } from "./session/session.ts";
export type { DroidSettings, IgnoredSetting, SettingsChange } from "./protocol/settings.ts";
export type { DroidTurn, DroidTurnResult } from "./turn/turn.ts";
export { type DroidVersion, TESTED_VERSIONS, type TestedRange } from "./protocol/versions.ts";
export { type InstructionsFile, writeInstructions } from "./process/prepared.ts";
export type {
  DroidMessage,
  DroidPlanEntry,
  McpServerStatus,
  ToolUse,
} from "./protocol/messages.ts";
export type { ContextBreakdown } from "./protocol/methods.ts";
export { readPlan } from "./protocol/plan.ts";
export type { PromptFile, PromptImage } from "./protocol/prompt.ts";
export {
  type AskUserQuestion,
  type DroidPermissionOption,
  permissionOptionKind,
  type PermissionToolUse,
  switchesSession,
} from "./protocol/requests.ts";
export { capabilitiesOf, testedRange } from "./protocol/versions.ts";
export { type HistoryPrompt, type HistoryStep, readHistory } from "./session/history.ts";
export { findSession } from "./session/session-files.ts";
export type { ToolCallEvent, ToolProgressEvent, ToolResultEvent } from "./turn/events.ts";
