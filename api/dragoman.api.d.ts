// The public interface of `dragoman`, written by `npm run docs`.

export declare class AcpClient {
  readonly closed: Promise<CloseReason>;
  readonly agent: AgentDescription;
  readonly providers: AgentProviders;
  private constructor();
  static start(config: AcpClientConfig, options?: CallOptions): Promise<AcpClient>;
  get state(): LifecycleState;
  get sessions(): readonly Session[];
  session(id: string): Session;
  authenticate(methodId: string, options?: RequestOptions): Promise<void>;
  get lastAuthStatus(): AuthStatus | undefined;
  authStatus(options?: RequestOptions): Promise<AuthStatus>;
  logout(options?: RequestOptions): Promise<void>;
  terminalLogin(methodId: string, options?: CallOptions): Promise<AcpClient>;
  newSession(options: SessionOptions): Promise<Session>;
  loadSession(options: LoadSessionOptions): Promise<Session>;
  resumeSession(options: StoredSessionOptions): Promise<Session>;
  forkSession(options: StoredSessionOptions): Promise<Session>;
  listSessions(options?: ListSessionsOptions): SessionList;
  deleteSession(sessionId: string, options?: RequestOptions): Promise<void>;
  archiveSession(sessionId: string, options?: RequestOptions): Promise<void>;
  unarchiveSession(sessionId: string, options?: RequestOptions): Promise<void>;
  setSessionTitle(sessionId: string, title: string, options?: RequestOptions): Promise<string>;
  sessionStatus(sessionId: string, options?: RequestOptions): Promise<SessionStatus>;
  sharedSessions(options?: RequestOptions): Promise<readonly SharedSessionInfo[]>;
  attach(sessionId: string, options?: AttachOptions): Promise<AttachedSession>;
  call<T>(method: ExtensionMethod, params: unknown, options: ParsedCallOptions<T>): Promise<T>;
  call(method: ExtensionMethod, params?: unknown, options?: CallOptions): Promise<unknown>;
  notify(method: ExtensionMethod, params?: unknown, { signal }?: CallOptions): Promise<void>;
  close({ signal }?: CallOptions): Promise<CloseReason>;
  [Symbol.asyncDispose](): Promise<void>;
}

export type AcpClientConfig = ConnectionConfig & (CommandTarget | ChannelTarget | UrlTarget);

export interface AgentDescription {
  readonly info: Implementation | undefined;
  readonly capabilities: AgentCapabilities & UnstableAgentCapabilities;
  readonly authMethods: readonly AuthMethod[];
  readonly protocolVersion: number;
  readonly dialect: DialectName;
  readonly meta: Meta | undefined;
  readonly raw: JsonObject;
}

export declare class AlreadyReadError extends DragomanError {
  readonly name = "AlreadyReadError";
  constructor();
}

export interface AnswerCheck<Options, Result> {
  readonly options: Options;
  read(result: Result): Pick<AnswerAttempt<Result>, "value" | "fault">;
}

export declare class AnswerMismatchError extends DragomanError {
  readonly name = "AnswerMismatchError";
  readonly faults: readonly string[];
  readonly answer: string;
  readonly attempts: number;
  constructor(faults: readonly string[], answer: string, attempts: number);
}

export type AnswerOf<S> =
  S extends StandardSchema<unknown, infer Output> ? Output : FromJsonSchema<S>;

export interface AnswerOptions<S extends AnswerSchema = AnswerSchema> {
  readonly schema: S;
  readonly jsonSchema?: JsonObject | undefined;
  readonly retries?: number | undefined;
}

export type AnswerPrompt<Part> = string | Part | readonly (string | Part)[];

export interface AnswerResult {
  readonly stopReason: string;
  readonly finalMessage: string;
  readonly failure?:
    | {
        readonly message: string;
      }
    | undefined;
}

export type AnswerSchema = StandardSchema | JsonObject;

export interface AnswerSession<Part, Options, Result extends AnswerResult> {
  prompt(
    content: AnswerPrompt<Part>,
    options: Options & {
      readonly whenBusy?: "wait" | undefined;
    },
  ): {
    readonly result: Promise<Result>;
  };
  readonly answerCheck?:
    | ((schema: JsonObject) => AnswerCheck<Options, Result> | undefined)
    | undefined;
}

export interface AsyncStream<T> extends AsyncIterator<T, undefined> {
  [Symbol.asyncIterator](): AsyncStream<T>;
}

export interface AttachedSession extends Session {
  readonly role: SessionRole;
  readonly seq: number;
  readonly first: number;
  readonly isBusy: boolean;
}

export declare class AuthRequiredError extends DragomanError {
  readonly name = "AuthRequiredError";
  readonly methods: readonly AuthMethod[];
  readonly cause: RemoteError;
  constructor(cause: RemoteError, methods: readonly AuthMethod[]);
}

export declare class BusyError extends DragomanError {
  readonly name = "BusyError";
  readonly sessionId: string;
  constructor(sessionId: string);
}

export declare class CallCancelledError extends DragomanError {
  readonly name = "CallCancelledError";
  readonly method: string;
  constructor(method: string, cause: unknown);
}

export declare class CancelIgnoredError extends DragomanError {
  readonly name = "CancelIgnoredError";
  readonly ms: number;
  constructor(ms: number, options?: ErrorOptions);
}

export declare class CapabilityError extends DragomanError {
  readonly name = "CapabilityError";
  readonly capability: string;
  constructor(what: string, capability: string, why?: string);
}

export interface Channel {
  open(receive: (line: string) => void): void;
  send(line: string): Promise<void>;
  pause(): void;
  resume(): void;
  close(): Promise<CloseReason>;
  readonly closed: Promise<CloseReason>;
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

export declare class ConnectError extends DragomanError {
  readonly name = "ConnectError";
  readonly address: string;
  readonly systemCode: string | undefined;
  constructor(address: string, cause: Error);
}

export interface ConnectRemoteOptions extends HttpChannelOptions {
  readonly token?: string | undefined;
  readonly protocols?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

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

export interface ElicitationProvider {
  readonly form?:
    | ((request: FormElicitation) => Promise<ElicitationReply> | ElicitationReply)
    | undefined;
  readonly url?:
    | ((request: UrlElicitation) => Promise<ElicitationReply> | ElicitationReply)
    | undefined;
  readonly completed?:
    | ((
        elicitationId: string,
        notification: {
          readonly meta: Meta | undefined;
        },
      ) => void)
    | undefined;
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

export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface ExitStatus {
  readonly code: number | null;
  readonly signal: string | null;
}

export type ExtensionMethod = `_${string}`;

export interface FsProvider {
  readonly readTextFile?: ReadFile | undefined;
  readonly writeTextFile?: WriteFile | undefined;
  readonly realpath?: undefined;
}

export declare class HttpStatusError extends DragomanError {
  readonly name = "HttpStatusError";
  readonly status: number;
  readonly body: string;
  constructor(what: string, status: number, body: string);
}

export declare class InvalidArgumentError extends DragomanError {
  readonly name = "InvalidArgumentError";
  constructor(message: string);
}

export type JsonObject = {
  readonly [key: string]: unknown;
};

export type LifecycleState = "open" | "closing" | "closed";

export interface LineWindow {
  readonly line?: number | undefined;
  readonly limit?: number | undefined;
}

export interface LoadSessionOptions extends StoredSessionOptions {
  readonly onReplay?: ((update: Update) => void) | undefined;
  readonly replaySilenceMs?: number | undefined;
}

export interface Logger {
  readonly debug?: ((message: string, fields?: LogFields) => void) | undefined;
  readonly info?: ((message: string, fields?: LogFields) => void) | undefined;
  readonly warn?: ((message: string, fields?: LogFields) => void) | undefined;
  readonly error?: ((message: string, fields?: LogFields) => void) | undefined;
}

export declare class LoginError extends DragomanError {
  readonly name = "LoginError";
  readonly exit: ExitStatus;
  constructor(methodId: string, exit: ExitStatus);
}

export type McpServerConfig = StdioMcpServer | RemoteMcpServer | InProcessMcpServer | ToolServer;

export type Meta = Readonly<Record<string, unknown>>;

export declare class NotAnAgentError extends DragomanError {
  readonly name = "NotAnAgentError";
  readonly ms: number;
  constructor(ms: number);
}

export type PermissionDecision =
  | "allow"
  | "allow_always"
  | "deny"
  | "cancel"
  | {
      readonly decision: "deny";
      readonly message: string;
    }
  | {
      readonly optionId: string;
      readonly remember?: StickyScope | undefined;
      readonly meta?: Meta | undefined;
    };

export type PermissionFunction = (
  request: PermissionRequest,
) => PermissionDecision | Promise<PermissionDecision>;

export interface PermissionRequest extends RequestMeta {
  readonly session: {
    readonly id: string;
    readonly roots: readonly string[];
  };
  readonly kind: ToolKind;
  readonly subject: PermissionSubject;
  readonly targets: PermissionTargets;
  readonly toolCall: ToolCallState | undefined;
  readonly question?: string | undefined;
  readonly description?: string | undefined;
  readonly options: readonly PermissionChoice[];
  readonly signal: AbortSignal;
}

export interface PermissionTargets {
  readonly paths: readonly TargetPath[];
  readonly commands: readonly TargetCommand[];
  readonly isComplete: boolean;
}

export type Permissions =
  | PolicyName
  | PermissionFunction
  | {
      readonly policy: PolicyName;
      readonly ask: PermissionFunction;
    };

export type PolicyName = (typeof POLICY_NAMES)[number];

export type PromptContent = string | ContentBlock | readonly (string | ContentBlock)[];

export interface PromptOptions {
  readonly whenBusy?: WhenBusy | undefined;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly meta?: Meta | undefined;
}

export interface PromptResult {
  readonly stopReason: StopReason | (string & {});
  readonly meta: Meta | undefined;
  readonly usage?: TokenUsage | undefined;
  readonly raw: JsonObject;
}

export interface PromptTurn extends AsyncIterable<Update> {
  readonly result: Promise<TurnResult>;
  readonly dropped: number;
  cancel(options?: CancelOptions): Promise<void>;
  text(): Promise<string>;
}

export declare class ProtocolViolation extends DragomanError {
  readonly name = "ProtocolViolation";
  readonly method: string;
  readonly path: string;
  readonly expected: string;
  readonly received: unknown;
  constructor(method: string, path: string, expected: string, received: unknown);
}

export interface Recorder {
  (event: TapEvent): void;
  readonly stderr: (text: string) => void;
  readonly exit: (status: ExitStatus) => void;
  readonly permission: (decision: RecordedDecision) => void;
  readonly note: (text: string) => void;
  readonly flush: () => void;
}

export declare class RemoteError extends RpcError {
  readonly name = "RemoteError";
  readonly method: string | undefined;
  readonly received: ErrorObject;
  readonly details: string | undefined;
  constructor(error: ErrorObject, method?: string);
}

export interface RequestOptions extends CallOptions, MetaOptions {}

export declare class RpcError extends DragomanError {
  readonly name: string;
  readonly rpcCode: number;
  readonly data: unknown;
  constructor(rpcCode: number, message: string, data?: unknown);
  static methodNotFound(method: string): RpcError;
  static invalidParams(message: string, data?: unknown): RpcError;
}

export declare class SchemaError extends DragomanError {
  readonly name = "SchemaError";
  constructor(message: string, options?: ErrorOptions);
}

export interface Session {
  readonly id: string;
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly meta: Meta | undefined;
  readonly state: LifecycleState;
  readonly closed: Promise<Error>;
  readonly modes: SessionModeState | undefined;
  readonly configOptions: readonly SessionConfigOption[] | undefined;
  readonly commands: readonly AvailableCommand[];
  readonly plan: readonly PlanEntry[];
  readonly toolCalls: ReadonlyMap<string, ToolCallState>;
  readonly contextUsage: ContextUsage | undefined;
  readonly cost: Cost | undefined;
  readonly title: string | undefined;
  readonly plans: ReadonlyMap<string, PlanContent>;
  readonly subagents: ReadonlyMap<string, SubagentState>;
  readonly sessionMessages: ReadonlyMap<string, SessionMessageState>;
  readonly activity: SessionActivity | undefined;
  readonly background: readonly BackgroundWork[] | undefined;
  readonly terminals: ReadonlyMap<string, AgentTerminalState>;
  readonly turnState: TurnState;
  readonly turn: PromptTurn | undefined;
  readonly dropped: number;
  prompt(content: PromptContent, options?: PromptOptions): PromptTurn;
  cancel(options?: CancelOptions): Promise<void>;
  setMode(modeId: string, options?: RequestOptions): Promise<void>;
  setConfigOption(
    configId: string,
    value: string | boolean,
    options?: RequestOptions,
  ): Promise<void>;
  cancelToolCall(toolCallId: string, options?: RequestOptions): Promise<void>;
  cancelTerminal(terminalId: string, options?: RequestOptions): Promise<void>;
  setTitle(title: string, options?: RequestOptions): Promise<string>;
  status(options?: RequestOptions): Promise<SessionStatus>;
  subagent(id: string): Subagent;
  updates(): AsyncStream<SessionEvent>;
  close(options?: RequestOptions): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export declare class SessionError extends DragomanError {
  readonly name = "SessionError";
  readonly sessionId: string;
  constructor(
    code: "session_not_found" | "closed" | "session_open",
    sessionId: string,
    options?: ErrorOptions,
  );
}

export type SessionEvent = Update | TurnStarted | TurnEnded | ExtensionEvent;

export interface SessionInfo extends SessionInfo {
  archived?: boolean | null | undefined;
}

export interface SessionList extends AsyncStream<SessionInfo> {
  all(): Promise<readonly SessionInfo[]>;
}

export interface SessionOptions extends SessionGateOptions, RequestOptions, UnstableSessionOptions {
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[] | undefined;
  readonly mcpServers?: readonly McpServerConfig[] | undefined;
}

export type SessionRole = "controller" | "observer";

export interface SharedSessionInfo {
  readonly sessionId: string;
  readonly agent: string;
  readonly cwd: string;
  readonly title: string | undefined;
  readonly isBusy: boolean;
  readonly controllers: number;
  readonly observers: number;
  readonly usedAt: number;
}

export declare class SpawnError extends DragomanError {
  readonly name = "SpawnError";
  readonly failure: SpawnFailure;
  readonly command: string;
  readonly cwd: string | undefined;
  constructor(failure: SpawnFailure, line: CommandLine, cause: unknown);
}

export type SpawnFailure = "not-found" | "not-executable" | "bad-cwd" | "other";

export declare class StartError extends DragomanError {
  readonly name = "StartError";
  readonly stdout: string;
  constructor(cause: unknown, stdout?: string);
}

export interface StoredSessionOptions extends SessionOptions {
  readonly sessionId: string;
}

export interface TargetPath {
  readonly path: string;
  readonly realPath: string | undefined;
  readonly isInside: boolean;
}

export interface TerminalProvider {
  create(request: TerminalRequest): Promise<ProvidedTerminal>;
  readonly usesDisk?: boolean | undefined;
}

export declare class TimeoutError extends DragomanError {
  readonly name = "TimeoutError";
  readonly limit: TimeoutKind;
  readonly ms: number;
  constructor(limit: TimeoutKind, ms: number, method: string, options?: ErrorOptions);
}

export type TimeoutKind = "startMs" | "requestMs" | "turnIdleMs" | "turnMs" | "timeoutMs";

export interface Timeouts {
  readonly startMs?: number | undefined;
  readonly requestMs?: number | undefined;
  readonly turnIdleMs?: number | undefined;
  readonly turnMs?: number | undefined;
  readonly cancelGraceMs?: number | undefined;
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

export interface ToolCallState {
  readonly toolCallId: string;
  readonly title: string;
  readonly name: string | undefined;
  readonly kind: ToolKind;
  readonly rawKind: string | undefined;
  readonly status: LocalToolCallStatus;
  readonly rawStatus: string | undefined;
  readonly content: readonly ShownContent[];
  readonly locations: readonly ToolCallLocation[];
  readonly rawInput: unknown;
  readonly rawOutput: unknown;
  readonly meta: Meta | undefined;
  readonly canCancel?: true | undefined;
  readonly trimmed?: true | undefined;
}

export declare class TurnIncompleteError<
  Result extends AnswerResult = AnswerResult,
> extends DragomanError {
  readonly name = "TurnIncompleteError";
  readonly result: Result;
  constructor(result: Result);
}

export interface TurnResult extends PromptResult {
  readonly text: string;
  readonly finalMessage: string;
}

export interface TypedAnswer<T, Result> {
  readonly value: T;
  readonly text: string;
  readonly attempts: number;
  readonly result: Result;
}

export declare class UnsupportedVersionError extends DragomanError {
  readonly name = "UnsupportedVersionError";
  readonly spoken: number | "newest";
  readonly offered: number;
  constructor(offered: number, spoken?: number | "newest", cause?: Error);
}

export type Update =
  | UserMessageChunk
  | AgentMessageChunk
  | AgentThoughtChunk
  | ToolCallChange
  | PlanChange
  | CommandsChange
  | ModeChange
  | ConfigOptionsChange
  | SessionInfoChange
  | UsageChange
  | NoticeUpdate
  | CompactionChange
  | CompactionChunk
  | DiffUpdate
  | DraftUpdate
  | UnknownUpdate;

export type UpdateOf<T extends Update["type"]> = Extract<Update, Readonly<Record<"type", T>>>;

export declare class UpdatesLostError extends DragomanError {
  readonly name = "UpdatesLostError";
  readonly count: number;
  constructor(count: number);
}

export interface VirtualFsProvider {
  readonly realpath: (
    path: string,
    options: {
      readonly signal: AbortSignal;
    },
  ) => Promise<string> | string;
  readonly readTextFile?: ReadFile | undefined;
  readonly writeTextFile?: WriteFile | undefined;
}

export declare function byteStreamChannel(stream: ByteStream, options?: ByteStreamOptions): Channel;

export declare function channelFromStream(stream: MessageStream): Channel;

export declare function connectRemote(
  url: string | URL,
  options?: ConnectRemoteOptions,
): Promise<Channel>;

export declare function describeClose(reason: CloseReason): string;

export declare function localTerminals(options?: LocalTerminalsOptions): TerminalProvider;

export declare function memoryPair(): [Channel, Channel];

export declare function messagePortChannel(
  port: MessagePortLike,
  options?: MessagePortChannelOptions,
): Channel;

export declare function recorder(
  write: (text: string) => void,
  options?: RecorderOptions,
): Recorder;

export declare function resourceLink(target: string | URL, details?: LinkDetails): ContentBlock;

export declare function sliceLines(text: string, { line, limit }: LineWindow): string;

export declare function textOf(block: ContentBlock): string;

export declare function typedAnswer<
  const S extends AnswerSchema,
  Part,
  Options,
  Result extends AnswerResult,
>(
  session: AnswerSession<Part, Options, Result>,
  prompt: AnswerPrompt<Fixed<Part>>,
  options: AnswerOptions<S> & Fixed<Options>,
): Promise<TypedAnswer<AnswerOf<S>, Result>>;

export declare function webSocketChannel(
  socket: WebSocketLike,
  options?: WebSocketChannelOptions,
): Channel;

export declare function withParams<P, Rest extends unknown[], R>(
  parse: (params: unknown) => P,
  handler: (params: P, ...rest: Rest) => R,
): (params: unknown, ...rest: Rest) => R;

declare const POLICY_NAMES: readonly ["deny", "read", "write", "all"];
