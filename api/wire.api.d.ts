// The public interface of `dragoman/wire`, written by `npm run docs`.

export interface ByteStream {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
}

export interface ByteStreamOptions {
  readonly maxLineBytes?: number | undefined;
}

export interface Channel {
  open(receive: (line: string) => void): void;
  send(line: string): Promise<void>;
  pause(): void;
  resume(): void;
  close(): Promise<CloseReason>;
  readonly closed: Promise<CloseReason>;
}

export declare class ChannelClosedError extends DragomanError {
  readonly name = "ChannelClosedError";
  constructor(options?: ErrorOptions);
}

export type CloseReason =
  | {
      readonly kind: "closed";
      readonly exit?: ExitStatus | undefined;
      readonly stderr?: string | undefined;
    }
  | {
      readonly kind: "ended";
      readonly code?: number | undefined;
      readonly text?: string | undefined;
    }
  | {
      readonly kind: "exited";
      readonly exit: ExitStatus;
      readonly stderr: string;
    }
  | {
      readonly kind: "failed";
      readonly error: Error;
      readonly stderr?: string | undefined;
    };

export interface CommandLine {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
  readonly env?: EnvOverlay | undefined;
}

export declare class ConnectError extends DragomanError {
  readonly name = "ConnectError";
  readonly address: string;
  readonly systemCode: string | undefined;
  constructor(address: string, cause: Error);
}

export interface ConnectSocketOptions extends StreamChannelOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface ConnectWebSocketOptions extends WebSocketChannelOptions {
  readonly WebSocket?: WebSocketConstructor | undefined;
  readonly protocols?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface CutLine {
  readonly line: number;
  readonly length: number;
}

export declare const DEFAULT_MAX_LINE_BYTES: number;

export declare const DEFAULT_STAGES: EndStages;

export type Decoded =
  | {
      readonly kind: "frame";
      readonly frame: JsonObject;
      readonly skipped: string;
    }
  | {
      readonly kind: "batch";
      readonly frames: readonly unknown[];
    }
  | {
      readonly kind: "noise";
      readonly isJson: boolean;
      readonly tooDeep?: JsonObject | undefined;
    };

export type Direction = "in" | "out";

export declare class DragomanError extends Error {
  readonly name: string;
  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string, options?: ErrorOptions);
}

export interface EndStages {
  readonly eofMs: number;
  readonly termMs: number;
}

export type EnvOverlay = Readonly<Record<string, string | undefined>>;

export type ErrorCode =
  | "already_read"
  | "answer_mismatch"
  | "auth_required"
  | "busy"
  | "cancel_ignored"
  | "cancelled"
  | "closed"
  | "connect_failed"
  | "connection_lost"
  | "fenced"
  | "internal"
  | "invalid_argument"
  | "limit_exceeded"
  | "listen_failed"
  | "login_failed"
  | "not_allowed"
  | "not_found"
  | "not_installed"
  | "no_owner"
  | "protocol"
  | "remote_error"
  | "session_not_found"
  | "session_open"
  | "start_failed"
  | "timeout"
  | "try_later"
  | "turn_incomplete"
  | "unavailable"
  | "unsupported"
  | "unsupported_version"
  | "updates_lost";

export interface ExitStatus {
  readonly code: number | null;
  readonly signal: string | null;
}

export type JsonObject = {
  readonly [key: string]: unknown;
};

export declare class LineSplitter {
  constructor(emit: (line: string) => void, limit?: number);
  push(bytes: Uint8Array): void;
  end(): void;
}

export declare class LineTooLongError extends DragomanError {
  readonly name = "LineTooLongError";
  readonly limit: number;
  constructor(limit: number);
}

export declare class ListenError extends DragomanError {
  readonly name = "ListenError";
  readonly address: string;
  readonly systemCode: string | undefined;
  constructor(address: string, cause: Error);
}

export interface ListenSocketOptions extends StreamChannelOptions, ListenerOptions {}

export interface Listener {
  open(accept: (channel: Channel) => void): void;
  close(): Promise<void>;
  readonly closed: Promise<Error | undefined>;
}

export interface ListenerOptions {
  readonly maxConnections?: number | undefined;
}

export type LogFields = Readonly<Record<string, unknown>>;

export type LogLevel = keyof Logger;

export interface Logger {
  readonly debug?: ((message: string, fields?: LogFields) => void) | undefined;
  readonly info?: ((message: string, fields?: LogFields) => void) | undefined;
  readonly warn?: ((message: string, fields?: LogFields) => void) | undefined;
  readonly error?: ((message: string, fields?: LogFields) => void) | undefined;
}

export interface MessagePortChannelOptions {
  readonly maxLineBytes?: number | undefined;
  readonly maxUnreadBytes?: number | undefined;
}

export declare class MessagePortError extends DragomanError {
  readonly name = "MessagePortError";
  constructor(message: string, options?: ErrorOptions);
}

export interface MessagePortLike {
  postMessage(message: string | number | null, transfer: never[]): void;
  start(): void;
  close(): void;
  addEventListener(
    type: "message" | "messageerror" | "close",
    listener: (event: object) => void,
  ): void;
}

export interface MessageStream<Message = unknown> {
  readonly readable: ReadableStream<Message>;
  readonly writable: WritableStream<Message>;
}

export interface NodeReadable {
  on(event: "data", listener: (chunk: Uint8Array | string) => void): unknown;
  on(event: "end" | "close", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  removeAllListeners(event: string): unknown;
  pause(): unknown;
  resume(): unknown;
  destroy(): unknown;
  readonly destroyed: boolean;
  readonly errored: Error | null;
}

export interface NodeWritable {
  on(event: "drain" | "close", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  once(event: "close", listener: () => void): unknown;
  write(chunk: Uint8Array | string, encoding: "utf8"): boolean;
  end(done: () => void): unknown;
  destroy(): unknown;
  readonly destroyed: boolean;
}

export type Overrides<T> = {
  readonly [K in keyof T]?: T[K] | undefined;
};

export interface ProcessChannel extends Channel {
  readonly pid: number;
}

export interface ProcessOptions extends CommandLine {
  readonly maxLineBytes?: number | undefined;
  readonly stages?: Overrides<EndStages> | undefined;
  readonly onStderr?: ((text: string) => void) | undefined;
}

export declare const RECORDING_VERSION = 2;

export declare const REDACTED = "[redacted]";

export interface RecordedAgent {
  readonly name: string;
  readonly command: readonly string[];
}

export interface RecordedClient {
  readonly name: string;
  readonly version?: string | undefined;
}

export interface RecordedDecision {
  readonly toolCallId?: string | undefined;
  readonly what: string;
  readonly kind?: string | undefined;
  readonly outcome: "allowed" | "denied" | "cancelled";
  readonly optionId?: string | undefined;
  readonly by: string;
  readonly hint?: string | undefined;
  readonly question?: string | undefined;
  readonly description?: string | undefined;
}

export type RecordedEvent = {
  readonly ms: number;
} & (
  | {
      readonly event: "stderr";
      readonly text: string;
    }
  | {
      readonly event: "exit";
      readonly code: number | null;
      readonly signal: string | null;
    }
  | ({
      readonly event: "permission";
    } & RecordedDecision)
  | {
      readonly event: "note";
      readonly text: string;
    }
  | {
      readonly event: "unknown";
      readonly raw: JsonObject;
    }
);

export interface RecordedLine {
  readonly ms: number;
  readonly direction: Direction;
  readonly line: string;
}

export interface Recorder {
  (event: TapEvent): void;
  readonly stderr: (text: string) => void;
  readonly exit: (status: ExitStatus) => void;
  readonly permission: (decision: RecordedDecision) => void;
  readonly note: (text: string) => void;
  readonly flush: () => void;
}

export interface RecorderOptions {
  readonly keepSecrets?: boolean | undefined;
  readonly secrets?: readonly string[] | undefined;
  readonly agent?: RecordedAgent | undefined;
  readonly client?: RecordedClient | undefined;
  readonly cwd?: string | undefined;
}

export interface Recording {
  readonly header: RecordingHeader;
  readonly lines: readonly RecordedLine[];
  readonly events: readonly RecordedEvent[];
  readonly cut: CutLine | undefined;
}

export type RecordingEntry = RecordedLine | RecordedEvent;

export declare class RecordingError extends DragomanError {
  readonly name = "RecordingError";
  readonly line: number | undefined;
  constructor(message: string, line?: number);
}

export interface RecordingHandlers {
  readonly header: (header: RecordingHeader) => void;
  readonly entry: (entry: RecordingEntry) => void;
  readonly fault?: ((error: RecordingError) => void) | undefined;
}

export interface RecordingHeader {
  readonly recording: "dragoman";
  readonly version: number;
  readonly startedAt: string;
  readonly redacted: boolean;
  readonly agent?: RecordedAgent | undefined;
  readonly client?: RecordedClient | undefined;
  readonly cwd?: string | undefined;
}

export declare class RecordingReader {
  constructor(handlers: RecordingHandlers);
  push(chunk: Uint8Array | string): void;
  end(): CutLine | undefined;
}

export type SocketAddress =
  | {
      readonly host?: string | undefined;
      readonly port: number;
    }
  | {
      readonly path: string;
    };

export interface SocketListener extends Listener {
  readonly address: SocketAddress;
}

export declare class SpawnError extends DragomanError {
  readonly name = "SpawnError";
  readonly failure: SpawnFailure;
  readonly command: string;
  readonly cwd: string | undefined;
  constructor(failure: SpawnFailure, line: CommandLine, cause: unknown);
}

export type SpawnFailure = "not-found" | "not-executable" | "bad-cwd" | "other";

export interface StreamChannelOptions {
  readonly maxLineBytes?: number | undefined;
}

export type Tap = (event: TapEvent) => void;

export interface TapEvent {
  readonly at: number;
  readonly monotonic?: number | undefined;
  readonly direction: Direction;
  readonly line: string;
}

export declare class UnreadLimitError extends DragomanError {
  readonly name = "UnreadLimitError";
  readonly limit: number;
  constructor(limit: number);
}

export interface WebSocketChannelOptions {
  readonly maxLineBytes?: number | undefined;
  readonly maxUnreadBytes?: number | undefined;
  readonly binaryFrames?: "close" | "ignore" | "text" | undefined;
}

export interface WebSocketCloseFrame {
  readonly code: number;
  readonly reason: string;
}

export type WebSocketConstructor = new (url: string, protocols?: string[]) => WebSocketLike;

export declare class WebSocketError extends DragomanError {
  readonly name = "WebSocketError";
  readonly closeCode: number;
  readonly reason: string;
  constructor(message: string, frame: WebSocketCloseFrame, options?: ErrorOptions);
}

export interface WebSocketLike {
  readonly readyState: number;
  readonly bufferedAmount: number;
  send(data: string, done?: (error?: Error) => void): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: "open", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: "close", listener: (event: WebSocketCloseFrame) => void): void;
  addEventListener(type: "error", listener: (event: object) => void): void;
  readonly pause?: (() => void) | undefined;
  readonly resume?: (() => void) | undefined;
  readonly terminate?: (() => void) | undefined;
}

export interface WebSocketListenerOptions extends WebSocketChannelOptions, ListenerOptions {
  readonly origins?: readonly string[] | "any" | undefined;
}

export interface WebSocketRequest {
  readonly headers: {
    readonly origin?: string | undefined;
  };
}

export interface WebSocketServerLike {
  on(
    event: "connection",
    listener: (socket: WebSocketLike, request: WebSocketRequest) => void,
  ): unknown;
  on(event: "close", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  close(): void;
}

export declare function byteStreamChannel(stream: ByteStream, options?: ByteStreamOptions): Channel;

export declare function channelFromStream(stream: MessageStream): Channel;

export declare function connectSocket(
  address: SocketAddress,
  options?: ConnectSocketOptions,
): Promise<Channel>;

export declare function connectWebSocket(
  url: string,
  options?: ConnectWebSocketOptions,
): Promise<Channel>;

export declare function decodeLine(line: string): Decoded;

export declare function describeClose(reason: CloseReason): string;

export declare function describeExit(exit: ExitStatus): string;

export declare function isJsonObject(value: unknown): value is JsonObject;

export declare function isRecordedLine(entry: RecordingEntry): entry is RecordedLine;

export declare function listenSocket(
  address: SocketAddress,
  options?: ListenSocketOptions,
): Promise<SocketListener>;

export declare function log(
  logger: Logger | undefined,
  level: LogLevel,
  message: string,
  fields?: LogFields,
): void;

export declare function memoryPair(): [Channel, Channel];

export declare function messagePortChannel(
  port: MessagePortLike,
  options?: MessagePortChannelOptions,
): Channel;

export declare function nodeStreamChannel(
  input: NodeReadable,
  output: NodeWritable,
  options?: StreamChannelOptions,
): Channel;

export declare function openProcess(options: ProcessOptions): Promise<ProcessChannel>;

export declare function parseRecording(text: string): Recording;

export declare function recorder(
  write: (text: string) => void,
  options?: RecorderOptions,
): Recorder;

export declare function redactLine(line: string): string;

export declare function redactText(text: string): string;

export declare function redactValue(value: unknown): unknown;

export declare function stdioChannel(options?: StreamChannelOptions): Channel;

export declare function streamFromChannel<Message = unknown>(
  channel: Channel,
): MessageStream<Message>;

export declare function tapped(channel: Channel, tap: Tap): Channel;

export declare function webSocketChannel(
  socket: WebSocketLike,
  options?: WebSocketChannelOptions,
): Channel;

export declare function webSocketListener(
  server: WebSocketServerLike,
  options?: WebSocketListenerOptions,
): Listener;
