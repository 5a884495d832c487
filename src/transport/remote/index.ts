/** ACP over WebSocket and over streamable HTTP, for both ends. */
export { connectRemote, type ConnectRemoteOptions } from "./connect.ts";
export * from "./errors.ts";
export * from "./server/endpoint.ts";
export { listenRemote, type ListenRemoteOptions, type RemoteServer } from "./server/listen.ts";
export type {
  RefusedRequest,
  RemoteChannel,
  RemoteEndpointOptions,
  RemoteLimits,
  RemoteRequest,
} from "./server/options.ts";
export * from "./server/tokens.ts";
export { remoteAddress } from "./connect.ts";
export { createHttpServer, hostInUrl, limitSockets, listenOn } from "./server/listen.ts";
