/** `dragoman/droid`: a client for Factory's Droid, over `droid exec` with stream-jsonrpc. */
export * from "../droid/public.ts";
export type {
  ContextUsage,
  PermissionDecision,
  StickyScope,
  TokenUsage,
} from "../protocol/acp/index.ts";
export type {
  AnswerOf,
  AnswerOptions,
  AnswerSchema,
  AnswerSession,
  StandardSchema,
  TypedAnswer,
} from "../protocol/schema/index.ts";
export {
  AnswerMismatchError,
  SchemaError,
  TurnIncompleteError,
  typedAnswer,
} from "../protocol/schema/index.ts";
export type { ToolServer } from "../tools/index.ts";
export type { AsyncStream, JsonObject, Logger } from "../base/index.ts";
export type { CloseReason, LifecycleState, Tap } from "../transport/wire/index.ts";
export { DragomanError, type ErrorCode } from "../base/index.ts";
