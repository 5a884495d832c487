/** What both `dragoman` and `dragoman/agent` publish. */
export type * from "./types/shared.ts";
export {
  ERROR_CODES,
  PROTOCOL_VERSION,
  type ExtensionMethod,
  type ParsedCallOptions,
  withParams,
} from "./methods.ts";
export type { StopReason } from "./vocabulary.ts";
export type {
  AuthAccount,
  AuthState,
  AuthStatus,
  CapabilityMarker,
  LlmProtocol,
  PlanContent,
  ProviderInfo,
  ProviderRouting,
  ProviderSettings,
  SessionArchiveFilter,
  SessionInfo,
  SubagentActivity,
  SubagentFailure,
  SystemPromptMode,
  TokenUsage,
} from "./types/unstable.ts";
export type { ContextUsage } from "./state/session-state.ts";
export { ProtocolViolation } from "./errors.ts";
export type { TerminalExit } from "./parse/results.ts";
export type { Fault } from "./parse/shape.ts";
export type { CrowOptions } from "./dialects/crow.ts";
export type { DialectName } from "./dialects/detect.ts";
export type { Meta, MetaOptions, RequestOptions } from "./meta.ts";
