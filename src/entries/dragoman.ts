/** `dragoman`: a client for agents that speak the Agent Client Protocol. */
export * from "../client/public.ts";
export * from "../protocol/schema/public.ts";
export * from "../protocol/acp/public-client.ts";
export * from "../transport/rpc/public.ts";
export type { RequestId } from "../transport/rpc/index.ts";
export type * from "../tools/public-server.ts";
export {
  connectRemote,
  type ConnectRemoteOptions,
  EventTooLongError,
  type HttpChannelOptions,
  HttpStatusError,
  type RetryOptions,
} from "../transport/remote/index.ts";
export {
  type ExitStatus,
  type JsonObject,
  type LogFields,
  type Logger,
  type AsyncStream,
  type CommandLine,
  type EndStages,
  type EnvOverlay,
  type Overrides,
  type Shell,
  SpawnError,
  type SpawnFailure,
} from "../base/index.ts";
export * from "../transport/wire/public-channels.ts";
export {
  ConnectError,
  connectWebSocket,
  type ConnectWebSocketOptions,
  type Direction,
  type LifecycleState,
  type RecordedAgent,
  type RecordedClient,
  type RecordedDecision,
  recorder,
  type Recorder,
  type RecorderOptions,
  type Tap,
  type TapEvent,
  type WebSocketConstructor,
} from "../transport/wire/index.ts";
