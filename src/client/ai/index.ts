/** `dragoman/ai`: an agent as a language model of the AI SDK. */
export * from "./provider.ts";
export type {
  AcpCallOptions,
  AcpExistingClient,
  AcpModelSettings,
  AcpPartMetadata,
  AcpProviderOptions,
  AcpProviderSettings,
  AcpSessionSettings,
  AcpStartedAgent,
} from "./options.ts";
export type { AcpToolMetadata, AcpToolOutput } from "./stream/tool-parts.ts";
export type { AcpNoticeMetadata, AcpPlanMetadata } from "./stream/part-stream.ts";
export type { AcpFinishMetadata } from "./stream/finish.ts";
export {
  AcpModelError,
  AcpPromptError,
  AcpProviderError,
  type AcpProviderErrorCode,
  AcpUnsupportedError,
} from "./errors.ts";
