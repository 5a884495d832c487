/** The parts of ACP v1 that clients and agents share. */
export * from "./public-client.ts";
export * from "./public-agent.ts";
export type * from "./types.ts";
export type { McpMessageParams, McpOutcome, ProxyMessage } from "./types/unstable.ts";
export * from "./methods.ts";
export * from "./vocabulary.ts";
export * from "./capabilities.ts";
export * from "./meta.ts";
export type { PermissionDecision, StickyScope } from "./permission-decision.ts";
export * from "./parse/params.ts";
export * from "./parse/results.ts";
export {
  isContentBlock,
  canonicalNameValues,
  stringOrUndefined,
  isAbsolutePath,
} from "./parse/guards.ts";
export { toToolCallChange, toToolCallPatch, toUpdate } from "./parse/update.ts";
export * from "./state/bounded-map.ts";
export * from "./state/session-state.ts";
export * from "./state/tool-calls.ts";
export * from "./dialects/canonical.ts";
export { crowDialect, isCrowRefusal } from "./dialects/crow.ts";
export * from "./dialects/detect.ts";
