/** The part of ACP v1 that is not stable yet. Only sides with `unstable: true` use it. */
export type * from "./types.ts";
export type * from "./updates.ts";
export {
  MCP_ERROR_CODES,
  MCP_REQUEST_META,
  UNSTABLE_METHODS,
  UNSTABLE_SCHEMA_VERSION,
  type UnstableMethod,
} from "./methods.ts";
export {
  isUnstableCapability,
  usableCapabilities,
  withUnstableAgentCapabilities,
  withUnstableClientCapabilities,
} from "./capabilities.ts";
export {
  readAuthStatus,
  readMcpOutcome,
  readProviders,
  readSessionStatus,
  readSessionTitle,
} from "./results.ts";
export { systemPromptFaults, toSystemPrompt } from "./system-prompt.ts";
export type { SessionMessageState, SubagentState } from "./state.ts";
