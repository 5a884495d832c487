/** `dragoman/droid`: a client for Factory's Droid, over `droid exec` with stream-jsonrpc. */
export * from "../droid/public.ts";
export * from "../schema/public.ts";
export type * from "../tools/public-server.ts";
export type {
  AsyncStream,
  CloseReason,
  Direction,
  EndStages,
  EnvOverlay,
  ExitStatus,
  JsonObject,
  LifecycleState,
  LogFields,
  Logger,
  Overrides,
  Tap,
  TapEvent,
} from "../wire/index.ts";
