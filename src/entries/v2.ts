/** `dragoman/v2`: translate between version 1 of ACP and the draft of version 2, without a client. */
// Named one by one: the client loads this layer on demand, and esbuild 0.28 never runs a module that is
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
export type { JsonObject } from "../base/index.ts";
