/** Bytes to frames and back, without knowing what the frames mean. */
export {
  callSafely,
  deferred,
  type Deferred,
  isThenable,
  quiet,
  quietIterator,
  quietly,
  toError,
  unlessAborted,
  within,
} from "./async.ts";
export { base64Of, bytesOf } from "./base64.ts";
export {
  ChannelClosedError,
  describeClose,
  describeExit,
  type Channel,
  type CloseReason,
  type ExitStatus,
} from "./channel.ts";
export { ConnectError, isUnauthorized, ListenError } from "./channels/address-errors.ts";
export { LineQueue, toLine, UnreadLimitError } from "./channels/line-queue.ts";
export { Acceptor, type Listener, type ListenerOptions } from "./channels/listener.ts";
export { immediately } from "./timing/immediate.ts";
export { memoryPair } from "./channels/memory.ts";
export {
  messagePortChannel,
  MessagePortError,
  type MessagePortChannelOptions,
  type MessagePortLike,
} from "./channels/message-port.ts";
export {
  connectSocket,
  listenSocket,
  type ConnectSocketOptions,
  type ListenSocketOptions,
  type SocketAddress,
  type SocketListener,
} from "./channels/socket.ts";
export { type ReservedStdio, reserveStdio, stdioChannel } from "./channels/stdio.ts";
export { nodeStreamChannel, type StreamChannelOptions } from "./channels/stream.ts";
export {
  byteStreamChannel,
  channelFromStream,
  streamFromChannel,
  type ByteStream,
  type ByteStreamOptions,
  type MessageStream,
} from "./channels/web-stream.ts";
export {
  connectWebSocket,
  type ConnectWebSocketOptions,
  type WebSocketConstructor,
} from "./channels/websocket-connect.ts";
export {
  webSocketListener,
  type WebSocketListenerOptions,
  type WebSocketRequest,
  type WebSocketServerLike,
} from "./channels/websocket-listener.ts";
export {
  webSocketChannel,
  WebSocketError,
  type WebSocketChannelOptions,
  type WebSocketCloseFrame,
  type WebSocketLike,
} from "./channels/websocket.ts";
export type { NodeReadable, NodeWritable } from "./lines/node-streams.ts";
export {
  merged,
  asObject,
  booleanField,
  numberField,
  objectField,
  objectsField,
  stringField,
  stringsField,
} from "./fields.ts";
export {
  decodeLine,
  isDeeperThan,
  isJsonObject,
  MAX_FRAME_DEPTH,
  parseFrame,
  type Decoded,
  type JsonObject,
} from "./lines/frames.ts";
export { escapeHtml } from "./html-text.ts";
export {
  guardRequest,
  type HttpRefusal,
  isAllowedHost,
  isAllowedOrigin,
  isLoopback,
  LOOPBACK_NAMES,
  namesWithPort,
  NOT_FOUND,
  placeRefusal,
  TOKEN_IN_ADDRESS,
} from "./http/guard.ts";
export {
  bearerOf,
  hasTokenInAddress,
  headerOf,
  type RequestHeaders,
  targetOf,
} from "./http/request.ts";
export { createToken, hashToken, ServerToken } from "./http/token.ts";
export { DEFAULT_MAX_LINE_BYTES, LineTooLongError } from "./lines/limit.ts";
export { LineSplitter } from "./lines/splitter.ts";
export { isList, isStringList } from "./lists.ts";
export { log, type LogFields, type Logger, type LogLevel } from "./logger.ts";
export { openPrivate, writeAtomically, writePrivate } from "./private-files.ts";
export { openProcess, type ProcessChannel, type ProcessOptions } from "./process/channel.ts";
export { DEFAULT_STAGES, type EndStages } from "./process/end-tree.ts";
export { isExecutable } from "./process/executable.ts";
export { ProcessTree } from "./process/process-tree.ts";
export {
  joinCommandLine,
  quoted,
  splitCommandLine,
  UnclosedQuoteError,
} from "./command/command-line.ts";
export { startTimeOf } from "./process/start-time.ts";
export { runningSince } from "./process/process-list.ts";
export { runChild } from "./command/run-child.ts";
export { startCommand, type RunningCommand } from "./command/running-command.ts";
export type { Shell } from "./command/shell.ts";
export { overlayEnv, startProcess } from "./process/spawn.ts";
export {
  SpawnError,
  type CommandLine,
  type EnvOverlay,
  type SpawnFailure,
} from "./process/spawn-error.ts";
export { sanitise, sanitiseJson, sanitiseLine, Sanitiser } from "./terminal-text.ts";
export { configFolder, dataFolder, stateFolder, type UserEnvironment } from "./user-folders.ts";
export { randomId } from "./random-id.ts";
export { RestartableTimer } from "./timing/restartable-timer.ts";
export { TimeLimitError } from "./timing/time-limit-error.ts";
export { withTimeLimit } from "./timing/time-limit.ts";
export { definedFields, type Overrides } from "./overrides.ts";
export { Queue, type AsyncStream, type QueuedItem } from "./queue.ts";
export { FinishedText } from "./recording/finished-text.ts";
export {
  isRecordedLine,
  isRecordingHeader,
  type RecordedAgent,
  type RecordedClient,
  type RecordedDecision,
  type RecordedEvent,
  type RecordedLine,
  RECORDING_VERSION,
  type RecordingEntry,
  RecordingError,
  type RecordingHeader,
  toRecordingEntry,
  toRecordingHeader,
} from "./recording/format.ts";
export {
  type CutLine,
  parseRecording,
  type Recording,
  type RecordingHandlers,
  RecordingReader,
} from "./recording/reader.ts";
export { recorder, type Recorder, type RecorderOptions } from "./recording/recorder.ts";
export { valueHider } from "./recording/known-values.ts";
export { secretsInAddresses } from "./recording/addresses.ts";
export {
  createRedactor,
  REDACTED,
  redactLine,
  redactText,
  redactValue,
} from "./recording/redact.ts";
export { tapped, type Direction, type Tap, type TapEvent } from "./recording/tap.ts";
export type { LifecycleState } from "./channel.ts";
