export { canonicalDialect, METHOD_ALIASES } from "./canonical.ts";
export { crowDialect } from "./crow.ts";
export type { CrowOptions } from "./crow-options.ts";
export { CROW_LOSSES } from "./crow-losses.ts";
export {
  detectingRewriter,
  type DetectingRewriter,
  type DialectName,
  isCrowRefusal,
  retryInitializeInCrow,
} from "./detect.ts";
