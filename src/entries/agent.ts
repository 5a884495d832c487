/** `dragoman/agent`: write an agent that any ACP client can use. */
export * from "../agent/index.ts";
export * from "../rpc/public.ts";
export * from "../wire/public-channels.ts";
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
} from "../wire/index.ts";
export * from "../acp/public-agent.ts";
export type { ProtocolVersion } from "../v2/index.ts";
