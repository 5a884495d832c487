// The public interface of `dragoman/agent`, written by `npm run docs`.

export interface AgentDefinition<S> extends UnstableDefinition {
  readonly info: Implementation;
  readonly meta?: Meta | undefined;
  readonly capabilityMeta?: CapabilityMeta | undefined;
  readonly promptCapabilities?:
    | Pick<PromptCapabilities, "image" | "audio" | "embeddedContext">
    | undefined;
  readonly mcpCapabilities?:
    | (Pick<McpCapabilities, "http" | "sse"> & {
        readonly acp?: boolean | undefined;
      })
    | undefined;
  readonly additionalDirectories?: boolean | undefined;
  readonly localWorkspaces?: boolean | undefined;
  readonly authMethods?: readonly AuthMethod[] | undefined;
  readonly authenticate?:
    | ((methodId: string, scope: RequestScope) => Awaitable<EmptyAnswer | void>)
    | undefined;
  readonly isAuthenticated?: ((scope: RequestScope) => Awaitable<boolean>) | undefined;
  readonly logout?: ((scope: RequestScope) => Awaitable<EmptyAnswer | void>) | undefined;
  newSession(start: SessionStart): Awaitable<S>;
  readonly sessionId?: ((state: S) => string) | undefined;
  readonly loadSession?:
    | ((
        request: SessionReplay<S>,
      ) => AsyncGenerator<SessionUpdate, S | undefined, void> | Awaitable<S | undefined>)
    | undefined;
  readonly resumeSession?: ((request: SessionReopen<S>) => Awaitable<S | undefined>) | undefined;
  readonly forkSession?: ((request: SessionReopen<S>) => Awaitable<S | undefined>) | undefined;
  readonly listSessions?: ((request: ListRequest) => Awaitable<SessionPage>) | undefined;
  readonly closeSession?:
    | ((session: AgentSession<S>, scope?: RequestScope) => Awaitable<EmptyAnswer | void>)
    | undefined;
  readonly deleteSession?:
    | ((sessionId: string, scope: RequestScope) => Awaitable<EmptyAnswer | void>)
    | undefined;
  readonly sessionMeta?: ((session: AgentSession<S>, how: Opened) => Meta | undefined) | undefined;
  readonly sessionOpened?: ((session: AgentSession<S>, how: Opened) => Awaitable<void>) | undefined;
  readonly modes?: ((session: AgentSession<S>) => SessionModeState | undefined) | undefined;
  readonly setMode?:
    | ((
        session: AgentSession<S>,
        modeId: string,
        scope: RequestScope,
      ) => Awaitable<EmptyAnswer | void>)
    | undefined;
  readonly configOptions?:
    | ((session: AgentSession<S>) => readonly SessionConfigOption[])
    | undefined;
  readonly setConfigOption?:
    | ((
        session: AgentSession<S>,
        configId: string,
        value: string | boolean,
        scope: RequestScope,
      ) => Awaitable<EmptyAnswer | void>)
    | undefined;
  readonly whenBusy?: "reject" | "wait" | undefined;
  prompt(turn: Turn<S>): Promise<TurnEnd>;
  readonly requests?:
    | Readonly<Record<ExtensionMethod, (params: unknown, scope: RequestScope) => unknown>>
    | undefined;
  readonly notifications?:
    | Readonly<Record<ExtensionMethod, (params: unknown, client: Client) => void>>
    | undefined;
  readonly recordUpdate?: ((session: AgentSession<S>, update: SessionUpdate) => void) | undefined;
  readonly close?:
    | ((reason: CloseReason, client: Client | undefined) => Awaitable<void>)
    | undefined;
}

export interface AgentSession<S> extends SessionSender, SessionWorkspace, UnstableSession {
  readonly id: string;
  readonly state: S;
  work(run: (work: AgentWork) => Promise<WorkEnd>): Promise<StopReason>;
}

export interface AgentWork extends SessionSender {
  readonly signal: AbortSignal;
  say(content: string | ContentBlock, options?: SendOptions): Promise<void>;
  think(content: string | ContentBlock, options?: SendOptions): Promise<void>;
  plan(entries: readonly PlanEntry[], options?: SendOptions): Promise<void>;
  toolCall(start: ToolCallStart): Promise<ToolCallHandle>;
  askPermission(request: ToolPermissionRequest): Promise<ToolPermissionAnswer>;
  askAbout(toolCall: ToolCallUpdate, question?: PermissionQuestion): Promise<PermissionAnswer>;
  readFile(path: string, range?: ReadRange): Promise<string>;
  writeFile(path: string, content: string, options?: RequestOptions): Promise<void>;
  terminal(command: TerminalCommand): Promise<Terminal>;
  reportTerminal(start: TerminalReport): Promise<ReportedTerminal>;
  elicit(question: FormQuestion): Promise<ElicitationAnswer>;
  elicitUrl(question: UrlQuestion): Promise<UrlAnswer>;
}

export declare class BacklogError extends DragomanError {
  readonly name = "BacklogError";
  constructor(limit: number);
}

export declare class CallCancelledError extends DragomanError {
  readonly name = "CallCancelledError";
  readonly method: string;
  constructor(method: string, cause: unknown);
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface Channel {
  open(receive: (line: string) => void): void;
  send(line: string): Promise<void>;
  pause(): void;
  resume(): void;
  close(): Promise<CloseReason>;
  readonly closed: Promise<CloseReason>;
}

export interface Client {
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities & UnstableClientCapabilities;
  readonly meta: Meta;
  readonly protocolVersion: ProtocolVersion;
  readonly dialect: DialectName;
  can(capability: ClientCapability): boolean;
  call<T>(method: ExtensionMethod, params: unknown, options: ParsedCallOptions<T>): Promise<T>;
  call(method: ExtensionMethod, params?: unknown, options?: CallOptions): Promise<unknown>;
  notify(method: ExtensionMethod, params?: unknown): Promise<void>;
  reportAuthStatus(status: AuthStatus): Promise<void>;
}

export type ClientCapability = keyof typeof ALL_CLIENT_MARKERS;

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

export declare class ConnectionError extends DragomanError {
  readonly name = "ConnectionError";
  readonly reason: CloseReason;
  readonly method: string | undefined;
  constructor(reason: CloseReason, method?: string);
}

export interface ContextUsage {
  readonly used: number;
  readonly size: number;
}

export declare class DragomanError extends Error {
  readonly name: string;
  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string, options?: ErrorOptions);
}

export type ElicitationAnswer = (
  | {
      readonly action: "accept";
      readonly content: {
        readonly [key: string]: ElicitationContentValue;
      };
    }
  | {
      readonly action: "decline";
    }
  | {
      readonly action: "cancel";
    }
) & {
  readonly meta?: Meta | undefined;
};

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

export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export type ExtensionMethod = `_${string}`;

export interface Fault {
  readonly path: string;
  readonly message: string;
}

export interface FormQuestion extends RequestOptions {
  readonly message: string;
  readonly schema: ElicitationSchema;
  readonly toolCallId?: string | undefined;
}

export interface ListRequest extends RequestScope, UnstableListRequest {
  readonly cwd: string | undefined;
  readonly cursor: string | undefined;
}

export declare class ListenError extends DragomanError {
  readonly name = "ListenError";
  readonly address: string;
  readonly systemCode: string | undefined;
  constructor(address: string, cause: Error);
}

export interface Logger {
  readonly debug?: ((message: string, fields?: LogFields) => void) | undefined;
  readonly info?: ((message: string, fields?: LogFields) => void) | undefined;
  readonly warn?: ((message: string, fields?: LogFields) => void) | undefined;
  readonly error?: ((message: string, fields?: LogFields) => void) | undefined;
}

export type Meta = Readonly<Record<string, unknown>>;

export interface Notice {
  readonly severity: "info" | "warning" | "error";
  readonly title: string;
  readonly description?: string | undefined;
}

export interface PermissionAnswer {
  readonly allowed: boolean;
  readonly outcome: "selected" | "cancelled";
  readonly optionId: string | undefined;
  readonly always: boolean;
  readonly meta: Meta | undefined;
}

export interface PermissionQuestion extends CallOptions {
  readonly options?: readonly PermissionOption[] | undefined;
  readonly always?: boolean | undefined;
  readonly requestMeta?: Meta | undefined;
}

export declare class ProtocolViolation extends DragomanError {
  readonly name = "ProtocolViolation";
  readonly method: string;
  readonly path: string;
  readonly expected: string;
  readonly received: unknown;
  constructor(method: string, path: string, expected: string, received: unknown);
}

export declare class RemoteError extends RpcError {
  readonly name = "RemoteError";
  readonly method: string | undefined;
  readonly received: ErrorObject;
  readonly details: string | undefined;
  constructor(error: ErrorObject, method?: string);
}

export interface RequestOptions extends CallOptions, MetaOptions {}

export interface RequestScope {
  readonly client: Client;
  readonly meta: Meta;
  readonly signal: AbortSignal;
}

export declare class RpcError extends DragomanError {
  readonly name: string;
  readonly rpcCode: number;
  readonly data: unknown;
  constructor(rpcCode: number, message: string, data?: unknown);
  static methodNotFound(method: string): RpcError;
  static invalidParams(message: string, data?: unknown): RpcError;
}

export interface SendOptions {
  readonly meta?: Meta | undefined;
  readonly notificationMeta?: Meta | undefined;
}

export interface ServeOptions {
  readonly logger?: Logger | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly crow?: CrowOptions | undefined;
}

export declare class SessionClosedError extends DragomanError {
  readonly name = "SessionClosedError";
  readonly sessionId: string;
  constructor(sessionId: string);
}

export interface SessionPage {
  readonly sessions: readonly SessionInfo[];
  readonly nextCursor?: string | undefined;
  readonly meta?: Meta | undefined;
}

export interface SessionReopen<S> extends SessionStart {
  readonly sessionId: string;
  readonly current: AgentSession<S> | undefined;
}

export interface SessionReplay<S> extends SessionReopen<S> {
  readonly replay: (update: SessionUpdate, options?: SendOptions) => Promise<void>;
}

export interface SessionSender extends UnstableSender {
  readonly client: Client;
  update(update: SessionUpdate, options?: SendOptions): Promise<void>;
  commands(commands: readonly AvailableCommand[], options?: SendOptions): Promise<void>;
  title(title: string | null, options?: SendOptions): Promise<void>;
  usage(
    usage: ContextUsage & {
      readonly cost?: Cost | undefined;
    },
    options?: SendOptions,
  ): Promise<void>;
  mode(currentModeId: string, options?: SendOptions): Promise<void>;
  configOptions(list: readonly SessionConfigOption[], options?: SendOptions): Promise<void>;
  notice(notice: Notice, options?: SendOptions): Promise<void>;
  compaction(
    compactionId: string,
    status: CompactionStatus,
    details?: CompactionDetails,
    options?: SendOptions,
  ): Promise<void>;
}

export interface SessionStart extends SessionWorkspace, RequestScope, UnstableSessionStart {}

export interface SessionWorkspace {
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly mcpServers: readonly McpServer[];
}

export interface Terminal {
  readonly id: string;
  readonly content: ToolCallContent;
  output(options?: RequestOptions): Promise<TerminalOutput>;
  waitForExit(options?: RequestOptions): Promise<TerminalExit>;
  kill(options?: RequestOptions): Promise<void>;
  release(options?: MetaOptions): Promise<void>;
}

export interface TerminalCommand extends MetaOptions {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  readonly outputByteLimit?: number | undefined;
  readonly background?: boolean | undefined;
}

export interface TokenUsage {
  readonly totalTokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly thoughtTokens?: number | null | undefined;
  readonly cachedReadTokens?: number | null | undefined;
  readonly cachedWriteTokens?: number | null | undefined;
  readonly _meta?: Meta | null | undefined;
}

export interface ToolCallDetails {
  readonly title?: string | undefined;
  readonly name?: string | undefined;
  readonly kind?: ToolKind | undefined;
  readonly status?: ToolCallStatus | undefined;
  readonly content?: readonly ToolCallContent[] | undefined;
  readonly locations?: readonly ToolCallLocation[] | undefined;
  readonly rawInput?: unknown;
  readonly rawOutput?: unknown;
  readonly meta?: Meta | undefined;
}

export interface ToolCallHandle {
  readonly id: string;
  readonly settled: boolean;
  readonly signal: AbortSignal;
  update(details: ToolCallDetails): Promise<void>;
  progress(details?: ToolCallDetails): Promise<void>;
  complete(details?: ToolCallDetails): Promise<void>;
  fail(details?: ToolCallDetails): Promise<void>;
  cancel(details?: ToolCallDetails): Promise<void>;
  reportTerminal(start: TerminalReport): Promise<ReportedTerminal>;
  askPermission(question?: PermissionQuestion): Promise<PermissionAnswer>;
}

export interface ToolCallStart extends ToolCallDetails {
  readonly title: string;
  readonly toolCallId?: string | undefined;
  readonly background?: boolean | undefined;
  readonly canCancel?: boolean | undefined;
}

export interface ToolPermissionAnswer extends PermissionAnswer {
  readonly toolCall: ToolCallHandle;
}

export interface ToolPermissionRequest extends ToolCallStart, PermissionQuestion {
  readonly meta?: Meta | undefined;
}

export interface Turn<S> extends AgentWork {
  readonly session: AgentSession<S>;
  readonly prompt: readonly ContentBlock[];
  readonly meta: Meta;
  readonly messageId: string;
  readonly text: string;
}

export declare class TurnCancelledError extends DragomanError {
  readonly name = "TurnCancelledError";
  readonly meta: Meta | undefined;
  constructor(
    options?: ErrorOptions & {
      readonly meta?: Meta | undefined;
    },
  );
}

export type TurnEnd =
  | StopReason
  | {
      readonly stopReason: StopReason;
      readonly meta?: Meta | undefined;
      readonly usage?: TokenUsage | undefined;
    }
  | undefined
  | void;

export declare class TurnEndedError extends DragomanError {
  readonly name = "TurnEndedError";
  constructor();
}

export declare class UnsupportedByClientError extends DragomanError {
  readonly name = "UnsupportedByClientError";
  readonly capability: ClientCapability;
  constructor(capability: ClientCapability);
}

export interface UrlAnswer {
  readonly action: ElicitationAnswer["action"];
  readonly meta: Meta | undefined;
  complete(options?: { readonly meta?: Meta | undefined }): Promise<void>;
}

export interface UrlQuestion extends RequestOptions {
  readonly message: string;
  readonly url: string;
  readonly toolCallId?: string | undefined;
}

export type WorkEnd = StopReason | undefined | void;

export declare function authRequired(message?: string): RpcError;

export declare function byteStreamChannel(stream: ByteStream, options?: ByteStreamOptions): Channel;

export declare function channelFromStream(stream: MessageStream): Channel;

export declare function describeClose(reason: CloseReason): string;

export declare function invalidParams(...errors: readonly Fault[]): RpcError;

export declare function invalidRequest(message: string, data?: unknown): RpcError;

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

export declare function pageOf(
  sessions: readonly SessionInfo[],
  cursor: string | undefined,
  size?: number,
): SessionPage;

export declare function serveAgent<S>(
  channel: Channel,
  definition: AgentDefinition<S>,
  options?: ServeOptions,
): Promise<CloseReason>;

export declare function serveAgents<S>(
  listener: Listener,
  definition: AgentDefinition<S>,
  options?: ServeOptions,
): Promise<void>;

export declare function sessionNotFound(sessionId: string): RpcError;

export declare function stdioChannel(options?: StreamChannelOptions): Channel;

export declare function webSocketChannel(
  socket: WebSocketLike,
  options?: WebSocketChannelOptions,
): Channel;

export declare function webSocketListener(
  server: WebSocketServerLike,
  options?: WebSocketListenerOptions,
): Listener;

export declare function withParams<P, Rest extends unknown[], R>(
  parse: (params: unknown) => P,
  handler: (params: P, ...rest: Rest) => R,
): (params: unknown, ...rest: Rest) => R;

declare const ALL_CLIENT_MARKERS: {
  readonly "fs.readTextFile": "boolean";
  readonly "fs.writeTextFile": "boolean";
  readonly terminal: "boolean";
  readonly "auth.terminal": "boolean";
  readonly "elicitation.form": "object";
  readonly "elicitation.url": "object";
  readonly "session.configOptions.boolean": "object";
  readonly "session.notices": "object";
  readonly "session.compaction": "object";
} & {
  readonly plan: "object";
  readonly subagents: "object";
};
