export { canonicalDialect, METHOD_ALIASES } from "./canonical.ts";
export { crowDialect } from "./crow.ts";
export type { CrowOptions, DialectRole } from "./crow-options.ts";
export { CROW_LOSSES, type CrowLoss } from "./crow-losses.ts";
export {
  detectingRewriter,
  type DetectingRewriter,
  type DialectName,
  isCrowRefusal,
  retryInitializeInCrow,
} from "./detect.ts";
