/** `dragoman/droid`: a client for Factory's Droid, over `droid exec` with stream-jsonrpc. */
export * from "./public.ts";
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
