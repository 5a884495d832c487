/** The draft of ACP v2: negotiation, and translation between both versions. */
export * from "./public.ts";
export { TURN_STARTED } from "./client/for-v1-agent.ts";
export {
  asksForV2,
  bothForms,
  initializeParamsToV1,
  initializeParamsToV2,
  initializeResultToV1,
  isV2Result,
  supportedVersions,
} from "./initialize.ts";
export { META_KEYS, UNSUPPORTED_VERSION, V2_METHODS } from "./methods.ts";
export { negotiatingRewriter, v2AgentRewriter } from "./rewriters.ts";
