/** What `dragoman/wire` publishes. */
export * from "./public-channels.ts";
export {
  ConnectError,
  ListenError,
  type Listener,
  type ListenerOptions,
} from "./channels/listener.ts";
export * from "./channels/socket.ts";
export { stdioChannel } from "./channels/stdio.ts";
export { nodeStreamChannel, type StreamChannelOptions } from "./channels/stream.ts";
export { streamFromChannel } from "./channels/web-stream.ts";
export {
  type WebSocketConstructor,
  type ConnectWebSocketOptions,
  connectWebSocket,
} from "./channels/websocket.ts";
export * from "./channels/websocket-listener.ts";
export type { NodeReadable, NodeWritable } from "./lines/streams.ts";
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
