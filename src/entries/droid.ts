/** `dragoman/droid`: a client for Factory's Droid, over `droid exec` with stream-jsonrpc. */
export * from "../droid/public.ts";
export * from "../protocol/schema/public.ts";
export * from "../protocol/schema/public-answer.ts";
export type {
  ContextUsage,
  Meta,
  PermissionDecision,
  StickyScope,
  TokenUsage,
} from "../protocol/acp/index.ts";
export type * from "../tools/public-server.ts";
export type {
  AsyncStream,
  EndStages,
  EnvOverlay,
  JsonObject,
  LogFields,
  Logger,
  Overrides,
  ExitStatus,
} from "../base/index.ts";
export type {
  CloseReason,
  Direction,
  LifecycleState,
  Tap,
  TapEvent,
} from "../transport/wire/index.ts";
