/** `dragoman/ai`: an agent as a language model of the AI SDK. */
export * from "./provider.ts";
export type {
  AcpCallOptions,
  AcpModelSettings,
  AcpPartMetadata,
  AcpProviderOptions,
  AcpProviderSettings,
} from "./options.ts";
export type {
  AcpFinishMetadata,
  AcpNoticeMetadata,
  AcpPlanMetadata,
  AcpToolMetadata,
  AcpToolOutput,
} from "./stream.ts";
export { AcpModelError, AcpProviderError, AcpUnsupportedError } from "./errors.ts";
