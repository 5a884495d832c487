/** `dragoman/v2`: translate between version 1 of ACP and the draft of version 2, without a client. */
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
} from "../v2/index.ts";
export type { JsonObject } from "../wire/index.ts";
