// Only the part of the translator that a client needs. Bundlers keep everything that a module exports if it is
// loaded on demand.
export {
  initializeErrorVersions,
  initializeParamsToBoth,
  initializeParamsToV2,
  initializeResultToV1,
  isV2InitializeResult,
  v2AgentRewriter,
} from "../../protocol/translator/index.ts";
