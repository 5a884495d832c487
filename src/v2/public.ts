/** What `dragoman/v2` publishes. */
export { V2_LOSSES, type V2Loss, type V2LossId } from "./losses.ts";
export { V2_SCHEMA_VERSION } from "./methods.ts";
export * from "./translator.ts";
