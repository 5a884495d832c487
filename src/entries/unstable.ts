/**
 * `dragoman/unstable`: what drafts of ACP add: version 2, the translator between both versions, and the
 * unstable parts of version 1. It may change with any release.
 */
// Named one by one: the client loads the translator on demand, and esbuild 0.28 never runs a module that is
// both imported on demand and exported with `export *`.
export {
  type ProtocolVersion,
  type TranslatedFrames,
  translator,
  type TranslatorOptions,
  V2_LOSSES,
  V2_SCHEMA_VERSION,
  type V2Loss,
  type V2LossId,
  type VersionTranslator,
} from "../protocol/translator/index.ts";
export {
  type AgentTerminalState,
  type AnyUpdate,
  type AuthStatus,
  type BackgroundWork,
  isAnyUpdate,
  type PlanContent,
  type ProviderInfo,
  type ProviderSettings,
  type SessionActivity,
  type SessionMessageState,
  type SessionStatus,
  type SubagentState,
  type UnstableAgentCapabilities,
  type UnstableClientCapabilities,
  type UnstableSessionUpdate,
  type UnstableUpdate,
  type V2Update,
} from "../protocol/acp/index.ts";
export type {
  AgentProviders,
  InProcessMcpServer,
  McpRequest,
  McpTransport,
  ProtocolChoice,
  Subagent,
  UnstableConfig,
  UnstableSessionOptions,
} from "../client/index.ts";
export {
  type McpCaller,
  type McpCallOptions,
  McpError,
  type ProviderHandlers,
  type ProxiedMessage,
  type ProxiedRequest,
  type ProxyDefinition,
  type ProxyHandlers,
  type ReportedTerminal,
  serveProxy,
  type SubagentHandle,
  type UnstableDefinition,
  type UnstableSender,
  type UnstableSession,
} from "../agent/index.ts";
