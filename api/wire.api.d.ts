// The public interface of `dragoman/wire`, written by `npm run docs`.

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

export interface CutLine {
  readonly line: number;
  readonly length: number;
}

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
  | "not_an_agent"
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

export declare class ListenError extends DragomanError {
  readonly name = "ListenError";
  readonly address: string;
  readonly systemCode: string | undefined;
  constructor(address: string, cause: Error);
}

export interface Listener {
  open(accept: (channel: Channel) => void): void;
  close(): Promise<void>;
  readonly closed: Promise<Error | undefined>;
}

export interface ListenerOptions {
  readonly maxConnections?: number | undefined;
}

export interface MessageStream<Message = unknown> {
  readonly readable: ReadableStream<Message>;
  readonly writable: WritableStream<Message>;
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

export type Tap = (event: TapEvent) => void;

export declare class WebSocketError extends DragomanError {
  readonly name = "WebSocketError";
  readonly closeCode: number;
  readonly reason: string;
  constructor(message: string, frame: WebSocketCloseFrame, options?: ErrorOptions);
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

export declare function describeClose(reason: CloseReason): string;

export declare function listenSocket(
  address: SocketAddress,
  options?: ListenSocketOptions,
): Promise<SocketListener>;

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
