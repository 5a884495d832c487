/** `dragoman/agent`: write an agent that any ACP client can use. */
export * from "../agent/index.ts";
export * from "../transport/rpc/public.ts";
export type { ExitStatus, JsonObject, LogFields, Logger } from "../base/index.ts";
export * from "../transport/wire/public-channels.ts";
export {
  type Listener,
  type ListenerOptions,
  ListenError,
  listenSocket,
  type ListenSocketOptions,
  type NodeReadable,
  nodeStreamChannel,
  type NodeWritable,
  type SocketAddress,
  type SocketListener,
  stdioChannel,
  type StreamChannelOptions,
  webSocketListener,
  type WebSocketListenerOptions,
  type WebSocketRequest,
  type WebSocketServerLike,
} from "../transport/wire/index.ts";
export * from "../protocol/acp/public-agent.ts";
export type { ProtocolVersion } from "../protocol/translator/index.ts";
