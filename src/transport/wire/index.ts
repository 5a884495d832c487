/** Bytes to frames and back, without knowing what the frames mean. */
export { type Channel, ChannelClosedError, type CloseReason, describeClose } from "./channel.ts";
export * from "./channels/memory.ts";
export * from "./channels/message-port.ts";
export { type MessageStream, byteStreamChannel, channelFromStream } from "./channels/web-stream.ts";
export { webSocketChannel, WebSocketError } from "./channels/websocket.ts";
export { LineTooLongError } from "./lines/limit.ts";
export {
  ConnectError,
  ListenError,
  type Listener,
  type ListenerOptions,
} from "./channels/listener.ts";
export * from "./channels/socket.ts";
export { stdioChannel } from "./channels/stdio.ts";
export { nodeStreamChannel } from "./channels/stream.ts";
export { streamFromChannel } from "./channels/web-stream.ts";
export { type ConnectWebSocketOptions, connectWebSocket } from "./channels/websocket.ts";
export * from "./channels/websocket-listener.ts";
export { DEFAULT_MAX_LINE_BYTES } from "./lines/limit.ts";
export * from "./lines/splitter.ts";
export * from "./process/channel.ts";
export {
  isRecordedLine,
  type RecordedAgent,
  type RecordedClient,
  type RecordedDecision,
  type RecordedEvent,
  type RecordedLine,
  RECORDING_VERSION,
  type RecordingEntry,
  RecordingError,
  type RecordingHeader,
} from "./recording/format.ts";
export * from "./recording/reader.ts";
export * from "./recording/recorder.ts";
export * from "./recording/tap.ts";
export { isUnauthorized, Acceptor } from "./channels/listener.ts";
export { QueuedChannel, toLine } from "./channels/queued-channel.ts";
export { type ReservedStdio, reserveStdio } from "./channels/stdio.ts";
export * from "./http/guard.ts";
export * from "./http/token.ts";
export { isRecordingHeader, toRecordingEntry, toRecordingHeader } from "./recording/format.ts";
export { lastLines, type LifecycleState } from "./channel.ts";
