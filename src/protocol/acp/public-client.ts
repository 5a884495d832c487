/** What `dragoman` publishes. */
export * from "./public.ts";
export type * from "./types/client.ts";
export type { SessionStatus, UnstableAgentCapabilities } from "./unstable/types.ts";
export type * from "./unstable/updates.ts";
export type { SessionMessageState, SubagentState } from "./unstable/state.ts";
export type { AgentTerminalState } from "./v2/state.ts";
export type * from "./v2/types.ts";
export type * from "./v2/updates.ts";
export { textOf } from "./parse/update.ts";
export type * from "./updates.ts";
export type { LocalToolCallStatus, ToolCallState } from "./state/tool-calls.ts";
export type { CompactionState } from "./state/session-state.ts";
export type { PromptResult } from "./parse/agent-results.ts";
export type { RawPermissionOption } from "./parse/params-types.ts";
export type { PermissionChoice } from "./permissions.ts";
export type { NameValue } from "./parse/name-values.ts";
export type { UpdateCarrier, UpdateMeta } from "./meta.ts";
