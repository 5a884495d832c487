/** What `dragoman`, `dragoman/agent` and `dragoman/wire` publish. */
export { type Channel, ChannelClosedError, type CloseReason, describeClose } from "./channel.ts";
export { UnreadLimitError } from "./channels/queued-channel.ts";
export * from "./channels/memory.ts";
export * from "./channels/message-port.ts";
export {
  type ByteStream,
  byteStreamChannel,
  type ByteStreamOptions,
  channelFromStream,
  type MessageStream,
} from "./channels/web-stream.ts";
export {
  webSocketChannel,
  type WebSocketChannelOptions,
  type WebSocketCloseFrame,
  WebSocketError,
  type WebSocketLike,
} from "./channels/websocket.ts";
export { LineTooLongError } from "./lines/limit.ts";
