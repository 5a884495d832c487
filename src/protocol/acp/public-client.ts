/** What `dragoman` publishes. */
export * from "./public.ts";
export type * from "./types/client.ts";
export type { SessionStatus, UnstableAgentCapabilities } from "./types/unstable.ts";
export type * from "./updates.ts";
export type {
  SessionMessageState,
  SubagentState,
  AgentTerminalState,
  CompactionState,
} from "./state/session-state.ts";
export { textOf } from "./parse/update.ts";
export type { LocalToolCallStatus, ToolCallState } from "./state/tool-calls.ts";
export type { PromptResult } from "./parse/results.ts";
export type { RawPermissionOption, PermissionChoice } from "./parse/params.ts";
export type { NameValue } from "./parse/guards.ts";
export type { UpdateCarrier, UpdateMeta } from "./meta.ts";
