/** `dragoman`: a client for agents that speak the Agent Client Protocol. */
export * from "../client/public.ts";
export * from "../schema/public.ts";
export * from "../acp/public-client.ts";
export * from "../rpc/public.ts";
export type { RequestId } from "../rpc/index.ts";
export type * from "../tools/public-server.ts";
export {
  connectRemote,
  type ConnectRemoteOptions,
  EventTooLongError,
  type HttpChannelOptions,
  HttpStatusError,
  type RetryOptions,
} from "../remote/index.ts";
export * from "../wire/public-channels.ts";
export {
  type AsyncStream,
  type CommandLine,
  ConnectError,
  connectWebSocket,
  type ConnectWebSocketOptions,
  type Direction,
  type EndStages,
  type EnvOverlay,
  type LifecycleState,
  type Overrides,
  type RecordedAgent,
  type RecordedClient,
  type RecordedDecision,
  recorder,
  type Recorder,
  type RecorderOptions,
  type Shell,
  SpawnError,
  type SpawnFailure,
  type Tap,
  type TapEvent,
  type WebSocketConstructor,
} from "../wire/index.ts";
