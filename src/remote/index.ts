/** ACP over WebSocket and over streamable HTTP, for both ends. */
export { connectRemote, type ConnectRemoteOptions, remoteAddress } from "./connect.ts";
export { HttpStatusError } from "./errors.ts";
export type { HttpChannelOptions } from "./http/channel.ts";
export type { RetryOptions } from "./http/event-stream.ts";
export { EventTooLongError } from "./http/sse.ts";
export { remoteEndpoint, type RemoteEndpoint } from "./server/endpoint.ts";
export { ClientStalledError } from "./server/http-connection.ts";
export {
  createHttpServer,
  inAddress,
  limitSockets,
  listening,
  listenRemote,
  type ListenRemoteOptions,
  type RemoteServer,
} from "./server/listen.ts";
export type { HttpRequestLike, HttpResponseLike } from "./server/node-http.ts";
export type {
  RefusedRequest,
  RemoteChannel,
  RemoteEndpointOptions,
  RemoteLimits,
  RemoteListener,
  RemoteRequest,
} from "./server/options.ts";
export {
  findGrant,
  parseTokens,
  TokensFileError,
  type TokenGrant,
  type TokenRole,
} from "./server/tokens.ts";
