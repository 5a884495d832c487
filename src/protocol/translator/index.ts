/** The draft of ACP v2: negotiation, and translation between both versions. */
export { TURN_STARTED } from "./client/for-v1-agent.ts";
export {
  asksForV2,
  initializeParamsToBoth,
  initializeParamsToV1,
  initializeParamsToV2,
  initializeResultToV1,
  isV2InitializeResult,
  initializeErrorVersions,
} from "./initialize.ts";
export { V2_LOSSES, type V2Loss, type V2LossId } from "./losses.ts";
export { META_KEYS, UNSUPPORTED_VERSION, V2_METHODS, V2_SCHEMA_VERSION } from "./methods.ts";
export { negotiatingRewriter, v2AgentRewriter } from "./rewriters.ts";
export * from "./translator.ts";
