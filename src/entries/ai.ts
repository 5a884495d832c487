/** `dragoman/ai`: an agent as a language model of the AI SDK. */
export {
  type AcpCallOptions,
  type AcpFinishMetadata,
  AcpModelError,
  type AcpModelSettings,
  type AcpNoticeMetadata,
  type AcpPartMetadata,
  type AcpPlanMetadata,
  type AcpProvider,
  AcpProviderError,
  type AcpProviderOptions,
  type AcpToolMetadata,
  type AcpToolOutput,
  AcpUnsupportedError,
  createAcpProvider,
} from "../client/ai/index.ts";
