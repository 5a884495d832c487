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
export type {
  AcpFinishMetadata,
  AcpNoticeMetadata,
  AcpPlanMetadata,
  AcpToolMetadata,
  AcpToolOutput,
} from "./stream.ts";
export { AcpModelError, AcpPromptError, AcpProviderError, AcpUnsupportedError } from "./errors.ts";
