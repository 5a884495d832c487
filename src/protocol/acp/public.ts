/** What both `dragoman` and `dragoman/agent` publish. */
export type * from "./types/shared.ts";
export { ERROR_CODES, PROTOCOL_VERSION } from "./methods.ts";
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
  TurnUsage,
} from "./unstable/types.ts";
export type { Usage } from "./state/session-state.ts";
export { ProtocolViolation } from "./errors.ts";
export type { TerminalExit } from "./parse/client-results.ts";
export type { Fault } from "./parse/shape.ts";
export type { CrowOptions } from "./dialects/crow-options.ts";
export type { DialectName } from "./dialects/detect.ts";
export { type ExtensionMethod, type ParsedCallOptions, withParams } from "./extensions.ts";
export type { Meta, MetaOptions, RequestOptions } from "./meta.ts";
