/** What `dragoman/remote` publishes. */
export { connectRemote, type ConnectRemoteOptions } from "./connect.ts";
export * from "./errors.ts";
export type { HttpChannelOptions } from "./http/channel.ts";
export type { RetryOptions } from "./http/event-stream.ts";
export { EventTooLongError } from "./http/sse.ts";
export * from "./server/endpoint.ts";
export { ClientStalledError } from "./server/http-connection.ts";
export { listenRemote, type ListenRemoteOptions, type RemoteServer } from "./server/listen.ts";
export type {
  HttpRequestLike,
  HttpResponseLike,
  RefusedRequest,
  RemoteChannel,
  RemoteEndpointOptions,
  RemoteLimits,
  RemoteListener,
  RemoteRequest,
} from "./server/options.ts";
export * from "./server/tokens.ts";
