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
  listSessions(options?: ListSessionsOptions): AsyncStream<SessionInfo>;
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

export interface AcpToolEndpoint {
  readonly type: "acp";
  readonly name: string;
  readonly handle: (request: ToolServerRequest) => Promise<JsonObject>;
}

export type AgentAuthCapabilities = {
  logout?: LogoutCapabilities | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type AgentCapabilities = {
  loadSession?: boolean | undefined;
  promptCapabilities?: PromptCapabilities | undefined;
  mcpCapabilities?: McpCapabilities | undefined;
  sessionCapabilities?: SessionCapabilities | undefined;
  auth?: AgentAuthCapabilities | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export interface AgentDescription {
  readonly info: Implementation | undefined;
  readonly capabilities: AgentCapabilities & UnstableAgentCapabilities;
  readonly authMethods: readonly AuthMethod[];
  readonly protocolVersion: number;
  readonly dialect: DialectName;
  readonly meta: Meta | undefined;
  readonly raw: JsonObject;
}

export interface AgentMessageChunk extends UpdateMeta {
  readonly type: "agent_message_chunk";
  readonly text: string;
  readonly raw: JsonObject;
  readonly content: ContentBlock;
  readonly messageId: string | undefined;
}

export interface AgentProviders {
  list(options?: RequestOptions): Promise<readonly ProviderInfo[]>;
  set(providerId: string, settings: ProviderSettings, options?: RequestOptions): Promise<void>;
  disable(providerId: string, options?: RequestOptions): Promise<void>;
}

export interface AgentTerminalChange extends UpdateMeta {
  readonly type: "terminal_update";
  readonly text: "";
  readonly raw: JsonObject;
  readonly terminalId: string;
  readonly command: string | null | undefined;
  readonly cwd: string | null | undefined;
  readonly output: Uint8Array | null | undefined;
  readonly exit: TerminalEnd | null | undefined;
  readonly size: TerminalSize | null | undefined;
  readonly canCancel: boolean | undefined;
}

export interface AgentTerminalChunk extends UpdateMeta {
  readonly type: "terminal_output_chunk";
  readonly text: "";
  readonly raw: JsonObject;
  readonly terminalId: string;
  readonly bytes: Uint8Array;
}

export interface AgentTerminalState {
  readonly terminalId: string;
  readonly command: string | undefined;
  readonly cwd: string | undefined;
  readonly output: string;
  readonly truncated: boolean;
  readonly exit: TerminalEnd | undefined;
  readonly size: TerminalSize | undefined;
  readonly canCancel: boolean;
}

export interface AgentThoughtChunk extends UpdateMeta {
  readonly type: "agent_thought_chunk";
  readonly text: "";
  readonly raw: JsonObject;
  readonly content: ContentBlock;
  readonly messageId: string | undefined;
  readonly thought: string;
}

export declare class AlreadyReadError extends ClientError {
  readonly name = "AlreadyReadError";
  constructor();
}

export type Annotations = {
  audience?: Array<Role> | null | undefined;
  lastModified?: string | null | undefined;
  priority?: number | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export declare class AnswerMismatchError extends Error {
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

export type AnswerSchema = StandardSchema | JsonObject;

export interface AsyncStream<T> extends AsyncIterator<T, undefined> {
  [Symbol.asyncIterator](): AsyncStream<T>;
}

export interface AttachOptions extends SessionGateOptions, RequestOptions {
  readonly role?: SessionRole | undefined;
  readonly after?: number | undefined;
  readonly onReplay?: ((update: Update) => void) | undefined;
}

export interface AttachedSession extends Session {
  readonly role: SessionRole;
  readonly seq: number;
  readonly first: number;
  readonly isBusy: boolean;
}

export type AudioContent = {
  annotations?: Annotations | null | undefined;
  data: string;
  mimeType: string;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export interface AuthAccount {
  readonly label: string;
  readonly active?: boolean | null | undefined;
  readonly name?: string | null | undefined;
  readonly email?: string | null | undefined;
  readonly organization?: string | null | undefined;
  readonly _meta?: Meta | null | undefined;
}

export type AuthCapabilities = {
  terminal?: boolean | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type AuthMethod =
  | (AuthMethodTerminal & {
      type: "terminal";
    })
  | AuthMethodAgent;

export type AuthMethodAgent = {
  id: AuthMethodId;
  name: string;
  description?: string | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type AuthMethodId = string;

export type AuthMethodTerminal = {
  id: AuthMethodId;
  name: string;
  description?: string | null | undefined;
  args?: Array<string> | undefined;
  env?:
    | {
        [key: string]: string;
      }
    | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export declare class AuthRequiredError extends ClientError {
  readonly name = "AuthRequiredError";
  readonly methods: readonly AuthMethod[];
  readonly cause: RemoteError;
  constructor(cause: RemoteError, methods: readonly AuthMethod[]);
}

export type AuthState = "authenticated" | "unauthenticated" | "not_required" | "unknown";

export interface AuthStatus {
  readonly state: AuthState;
  readonly accounts?: readonly AuthAccount[] | undefined;
  readonly _meta?: Meta | null | undefined;
}

export type AvailableCommand = {
  name: string;
  description: string;
  input?: AvailableCommandInput | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type AvailableCommandInput = UnstructuredCommandInput;

export type BackgroundWork =
  | {
      readonly type: "terminal";
      readonly terminalId: string;
    }
  | {
      readonly type: "tool_call";
      readonly toolCallId: string;
    }
  | {
      readonly type: "unknown";
      readonly raw: unknown;
    };

export type BlobResourceContents = {
  blob: string;
  mimeType?: string | null | undefined;
  uri: string;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type BooleanConfigOptionCapabilities = {
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type BooleanPropertySchema = {
  title?: string | null | undefined;
  description?: string | null | undefined;
  default?: boolean | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export interface BufferLimits {
  readonly updates: number;
  readonly bytes: number;
}

export declare class BusyError extends ClientError {
  readonly name = "BusyError";
  readonly sessionId: string;
  constructor(sessionId: string);
}

export interface ByteStream {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
}

export interface ByteStreamOptions {
  readonly maxLineBytes?: number | undefined;
}

export declare class CallCancelledError extends Error {
  readonly name = "CallCancelledError";
  readonly method: string;
  constructor(method: string, cause: unknown);
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export declare class CancelIgnoredError extends ClientError {
  readonly name = "CancelIgnoredError";
  readonly ms: number;
  constructor(ms: number, options?: ErrorOptions);
}

export interface CancelOptions {
  readonly signal?: AbortSignal | undefined;
  readonly meta?: Meta | undefined;
}

export declare class CapabilityError extends ClientError {
  readonly name = "CapabilityError";
  readonly capability: string;
  constructor(what: string, capability: string, why?: string);
}

export interface CapabilityMarker {
  readonly _meta?: Meta | null | undefined;
}

export interface Channel {
  open(receive: (line: string) => void): void;
  send(line: string): Promise<void>;
  pause(): void;
  resume(): void;
  close(): Promise<CloseReason>;
  readonly closed: Promise<CloseReason>;
}

export declare class ChannelClosedError extends Error {
  readonly name = "ChannelClosedError";
  constructor(options?: ErrorOptions);
}

export interface ChannelTarget {
  readonly channel: Channel;
  readonly remote?: boolean | undefined;
  readonly remoteFiles?: boolean | undefined;
  readonly command?: undefined;
  readonly url?: undefined;
}

export type ClientCapabilities = {
  fs?: FileSystemCapabilities | undefined;
  terminal?: boolean | undefined;
  session?: ClientSessionCapabilities | null | undefined;
  auth?: AuthCapabilities | undefined;
  elicitation?: ElicitationCapabilities | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export declare class ClientError extends Error {
  readonly name: string;
  readonly code: ClientErrorCode;
  constructor(code: ClientErrorCode, message: string, options?: ErrorOptions);
}

export type ClientErrorCode =
  | "start_failed"
  | "not_an_agent"
  | "unsupported_version"
  | "not_supported"
  | "invalid_argument"
  | "unknown_session"
  | "session_closed"
  | "session_open"
  | "busy"
  | "auth_required"
  | "login_failed"
  | "timeout"
  | "cancel_ignored"
  | "updates_lost"
  | "already_read"
  | "turn_incomplete";

export type ClientSessionCapabilities = {
  compaction?: CompactionCapabilities | null | undefined;
  configOptions?: SessionConfigOptionsCapabilities | null | undefined;
  notices?: NoticeCapabilities | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

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

export interface CommandTarget extends CommandLine {
  readonly channel?: undefined;
  readonly url?: undefined;
  readonly stages?: Overrides<EndStages> | undefined;
  readonly onStderr?: ((text: string) => void) | undefined;
}

export interface CommandsChange extends UpdateMeta {
  readonly type: "available_commands_update";
  readonly text: "";
  readonly raw: JsonObject;
  readonly commands: readonly AvailableCommand[];
}

export type CompactionCapabilities = {
  [key: string]: unknown;
};

export interface CompactionChange extends UpdateMeta {
  readonly type: "compaction_update";
  readonly text: "";
  readonly raw: JsonObject;
  readonly compactionId: string;
  readonly status: string;
  readonly summary: readonly ContentBlock[] | null | undefined;
  readonly error: string | null | undefined;
}

export interface CompactionChunk extends UpdateMeta {
  readonly type: "compaction_summary_chunk";
  readonly text: "";
  readonly raw: JsonObject;
  readonly compactionId: string;
  readonly content: ContentBlock;
}

export interface CompactionState {
  readonly compactionId: string;
  readonly status: string;
  readonly summary: readonly ContentBlock[];
  readonly error: string | undefined;
}

export interface ConfigOptionsChange extends UpdateMeta {
  readonly type: "config_option_update";
  readonly text: "";
  readonly raw: JsonObject;
  readonly configOptions: readonly SessionConfigOption[];
}

export declare class ConnectError extends Error {
  readonly name = "ConnectError";
  readonly address: string;
  readonly code: string | undefined;
  constructor(address: string, cause: Error);
}

export interface ConnectRemoteOptions extends HttpChannelOptions {
  readonly token?: string | undefined;
  readonly protocols?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ConnectWebSocketOptions extends WebSocketChannelOptions {
  readonly WebSocket?: WebSocketConstructor | undefined;
  readonly protocols?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ConnectedMcpServer {
  readonly type: "acp";
  readonly name: string;
  readonly meta?: Meta | undefined;
  readonly connect: (transport: McpTransport) => unknown;
  readonly handle?: undefined;
}

export interface ConnectionConfig extends GateOptions, ExtensionOptions, UnstableConfig {
  readonly clientInfo?: Implementation | undefined;
  readonly meta?: Meta | undefined;
  readonly timeouts?: Timeouts | undefined;
  readonly mcpServers?: readonly McpServerConfig[] | undefined;
  readonly maxBuffered?: number | Overrides<BufferLimits> | undefined;
  readonly whenBusy?: WhenBusy | undefined;
  readonly tap?: Tap | undefined;
  readonly protocol?: ProtocolChoice | undefined;
  readonly dialect?: DialectName | "auto" | undefined;
  readonly crow?: CrowOptions | undefined;
  readonly terminalLogin?: boolean | RunLogin | undefined;
}

export declare class ConnectionError extends Error {
  readonly name = "ConnectionError";
  readonly reason: CloseReason;
  readonly method: string | undefined;
  constructor(reason: CloseReason, method?: string);
}

export type Content = {
  content: ContentBlock;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type ContentBlock =
  | (TextContent & {
      type: "text";
    })
  | (ImageContent & {
      type: "image";
    })
  | (AudioContent & {
      type: "audio";
    })
  | (ResourceLink & {
      type: "resource_link";
    })
  | (EmbeddedResource & {
      type: "resource";
    });

export type Cost = {
  amount: number;
  currency: string;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export interface CrowOptions {
  readonly permissionAnswer?: "notification" | "request" | undefined;
  readonly permissionMethod?: string | undefined;
}

export type DialectName = "canonical" | "crow";

export type Diff = {
  path: string;
  oldText?: string | null | undefined;
  newText: string;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export interface DiffChange {
  readonly operation: string;
  readonly path: string;
  readonly oldPath?: string | undefined;
  readonly fileType?: string | undefined;
  readonly mimeType?: string | undefined;
}

export interface DiffUpdate extends UpdateMeta {
  readonly type: "diff";
  readonly text: "";
  readonly raw: JsonObject;
  readonly path: string;
  readonly oldText: string | undefined;
  readonly newText: string;
}

export type Direction = "in" | "out";

export declare const ERROR_CODES: {
  readonly authRequired: -32000;
  readonly resourceNotFound: -32002;
  readonly parseError: -32700;
  readonly invalidRequest: -32600;
  readonly methodNotFound: -32601;
  readonly invalidParams: -32602;
  readonly internalError: -32603;
  readonly requestCancelled: -32800;
};

export type ElicitationCapabilities = {
  form?: ElicitationFormCapabilities | null | undefined;
  url?: ElicitationUrlCapabilities | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type ElicitationContentValue = string | number | number | boolean | Array<string>;

export type ElicitationFormCapabilities = {
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type ElicitationPropertySchema = NonNullable<ElicitationSchema["properties"]>[string];

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

export type ElicitationReply =
  | {
      readonly action: "accept";
      readonly content?: Readonly<Record<string, ElicitationContentValue>> | undefined;
    }
  | {
      readonly action: "decline";
    }
  | {
      readonly action: "cancel";
    };

export type ElicitationSchema = {
  type?: ElicitationSchemaType | undefined;
  title?: string | null | undefined;
  properties?:
    | {
        [key: string]: ElicitationPropertySchema;
      }
    | undefined;
  required?: Array<string> | null | undefined;
  description?: string | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type ElicitationSchemaType = "object";

export interface ElicitationScope {
  readonly sessionId: string | undefined;
  readonly toolCallId: string | undefined;
  readonly requestId: RequestId | undefined;
}

export type ElicitationUrlCapabilities = {
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type EmbeddedResource = {
  annotations?: Annotations | null | undefined;
  resource: EmbeddedResourceResource;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type EmbeddedResourceResource = TextResourceContents | BlobResourceContents;

export interface EndStages {
  readonly eofMs: number;
  readonly termMs: number;
}

export type EnumOption = {
  const: string;
  title: string;
  description?: string | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type EnvOverlay = Readonly<Record<string, string | undefined>>;

export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export declare class EventTooLongError extends Error {
  readonly name = "EventTooLongError";
  readonly limit: number;
  constructor(limit: number);
}

export interface ExitStatus {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface ExtensionEvent {
  readonly type: "extension";
  readonly text: "";
  readonly message: "request" | "notification";
  readonly method: string;
  readonly params: unknown;
}

export type ExtensionMethod = `_${string}`;

export interface ExtensionOptions {
  readonly requests?:
    | Readonly<Record<ExtensionMethod, (params: unknown, scope: ExtensionRequestScope) => unknown>>
    | undefined;
  readonly notifications?:
    | Readonly<Record<ExtensionMethod, (params: unknown, scope: ExtensionScope) => void>>
    | undefined;
  readonly onExtension?: ((event: ExtensionEvent) => void) | undefined;
}

export interface ExtensionRequestScope extends ExtensionScope {
  readonly signal: AbortSignal;
}

export interface ExtensionScope {
  readonly session: Session | undefined;
  readonly meta: Meta | undefined;
}

export interface Fault {
  readonly path: string;
  readonly message: string;
}

export type FileSystemCapabilities = {
  readTextFile?: boolean | undefined;
  writeTextFile?: boolean | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export interface FormElicitation extends ElicitationScope, RequestMeta {
  readonly message: string;
  readonly schema: ElicitationSchema;
  check(content: unknown): readonly Fault[];
  readonly signal: AbortSignal;
}

export type FromJsonSchema<S> =
  S extends Readonly<Record<"const", infer C>>
    ? C
    : S extends Readonly<Record<"enum", readonly (infer E)[]>>
      ? E
      : S extends Readonly<Record<"anyOf", readonly (infer A)[]>>
        ? FromJsonSchema<A>
        : S extends Readonly<Record<"oneOf", readonly (infer A)[]>>
          ? FromJsonSchema<A>
          : S extends Readonly<Record<"type", infer T>>
            ? FromJsonSchemaType<T extends readonly (infer One)[] ? One : T, S>
            : unknown;

export type FromJsonSchemaProperties<P, R> = {
  -readonly [K in keyof P as K extends R ? K : never]: FromJsonSchema<P[K]>;
} & {
  -readonly [K in keyof P as K extends R ? never : K]?: FromJsonSchema<P[K]> | undefined;
};

export type FromJsonSchemaType<T, S> = T extends "string"
  ? string
  : T extends "number" | "integer"
    ? number
    : T extends "boolean"
      ? boolean
      : T extends "null"
        ? null
        : T extends "array"
          ? S extends Readonly<Record<"items", infer I>>
            ? FromJsonSchema<I>[]
            : unknown[]
          : T extends "object"
            ? S extends Readonly<Record<"properties", infer P>>
              ? FromJsonSchemaProperties<
                  P,
                  S extends Readonly<Record<"required", readonly (infer R)[]>> ? R : never
                >
              : Record<string, unknown>
            : unknown;

export interface FsOptions {
  readonly provider?: FsProvider | VirtualFsProvider | undefined;
  readonly missingFile?: "error" | "empty" | undefined;
  readonly maxReadBytes?: number | undefined;
}

export interface FsProvider {
  readonly readTextFile?: ReadFile | undefined;
  readonly writeTextFile?: WriteFile | undefined;
  readonly realpath?: undefined;
}

export interface GateOptions {
  readonly capabilities?: ClientCapabilities | undefined;
  readonly permissions?: Permissions | undefined;
  readonly sticky?: StickyScope | undefined;
  readonly fs?: FsOptions | undefined;
  readonly terminal?: TerminalProvider | undefined;
  readonly onTerminal?: ((event: TerminalEvent) => void) | undefined;
  readonly elicitation?: ElicitationProvider | undefined;
  readonly allowReadOutsideWorkspace?: boolean | undefined;
  readonly logger?: Logger | undefined;
}

export interface HandledMcpServer {
  readonly type: "acp";
  readonly name: string;
  readonly meta?: Meta | undefined;
  readonly handle: (request: McpRequest) => unknown;
  readonly connect?: undefined;
}

export interface HttpChannelOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly fetch?: typeof fetch | undefined;
  readonly maxLineBytes?: number | undefined;
  readonly retry?: Overrides<RetryOptions> | undefined;
}

export declare class HttpStatusError extends Error {
  readonly name = "HttpStatusError";
  readonly status: number;
  readonly body: string;
  constructor(what: string, status: number, body: string);
}

export interface HttpToolEndpoint {
  readonly type: "http";
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type ImageContent = {
  annotations?: Annotations | null | undefined;
  data: string;
  mimeType: string;
  uri?: string | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type Implementation = {
  name: string;
  title?: string | null | undefined;
  version: string;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type InProcessMcpServer = HandledMcpServer | ConnectedMcpServer;

export type IntegerPropertySchema = {
  title?: string | null | undefined;
  description?: string | null | undefined;
  minimum?: number | null | undefined;
  maximum?: number | null | undefined;
  default?: number | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export declare class InvalidArgumentError extends ClientError {
  readonly name = "InvalidArgumentError";
  constructor(message: string);
}

export type JsonObject = {
  readonly [key: string]: unknown;
};

export type LifecycleState = "open" | "closing" | "closed";

export declare class LineTooLongError extends Error {
  readonly name = "LineTooLongError";
  readonly limit: number;
  constructor(limit: number);
}

export interface LineWindow {
  readonly line?: number | undefined;
  readonly limit?: number | undefined;
}

export interface LinkDetails {
  readonly name?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly description?: string | undefined;
}

export interface ListSessionsOptions extends RequestOptions {
  readonly cwd?: string | undefined;
  readonly archived?: SessionArchiveFilter | undefined;
}

export type LlmProtocol = "anthropic" | "openai" | "azure" | "vertex" | "bedrock" | (string & {});

export interface LoadSessionOptions extends StoredSessionOptions {
  readonly onReplay?: ((update: Update) => void) | undefined;
  readonly replaySilence?: number | undefined;
}

export interface LocalTerminalsOptions {
  readonly shell?: Shell | undefined;
  readonly env?: EnvOverlay | undefined;
  readonly outputBytes?: number | undefined;
  readonly maxOutputBytes?: number | undefined;
  readonly termMs?: number | undefined;
}

export type LocalToolCallStatus = ToolCallStatus | "cancelled";

export type LogFields = Readonly<Record<string, unknown>>;

export interface Logger {
  readonly debug?: ((message: string, fields?: LogFields) => void) | undefined;
  readonly info?: ((message: string, fields?: LogFields) => void) | undefined;
  readonly warn?: ((message: string, fields?: LogFields) => void) | undefined;
  readonly error?: ((message: string, fields?: LogFields) => void) | undefined;
}

export declare class LoginError extends ClientError {
  readonly name = "LoginError";
  readonly exit: ExitStatus;
  constructor(methodId: string, exit: ExitStatus);
}

export type LogoutCapabilities = {
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type McpCapabilities = {
  http?: boolean | undefined;
  sse?: boolean | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type McpMessage = object;

export interface McpRequest {
  readonly requestId: string;
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly signal: AbortSignal;
  readonly notify: (method: string, params?: JsonObject) => Promise<void>;
}

export interface McpSendOptions {
  readonly relatedRequestId?: string | number | undefined;
}

export type McpServerConfig = StdioMcpServer | RemoteMcpServer | InProcessMcpServer | ToolServer;

export interface McpTransport {
  onmessage: (message: McpMessage) => void;
  onclose: () => void;
  onerror: (error: Error) => void;
  start(): Promise<void>;
  send(message: McpMessage, options?: McpSendOptions): Promise<void>;
  close(): Promise<void>;
}

export interface MessageChange extends UpdateMeta {
  readonly type: "user_message" | "agent_message" | "agent_thought";
  readonly text: "";
  readonly raw: JsonObject;
  readonly messageId: string;
  readonly content: readonly ContentBlock[] | null | undefined;
}

export interface MessagePortChannelOptions {
  readonly maxLineBytes?: number | undefined;
  readonly maxUnreadBytes?: number | undefined;
}

export declare class MessagePortError extends Error {
  readonly name = "MessagePortError";
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

export type Meta = Readonly<Record<string, unknown>>;

export interface MetaOptions {
  readonly meta?: Meta | undefined;
  readonly onMeta?: ((meta: Meta) => void) | undefined;
}

export interface ModeChange extends UpdateMeta {
  readonly type: "current_mode_update";
  readonly text: "";
  readonly raw: JsonObject;
  readonly currentModeId: string;
}

export type MultiSelectItems = MultiSelectPropertySchema["items"];

export type MultiSelectPropertySchema = {
  title?: string | null | undefined;
  description?: string | null | undefined;
  minItems?: number | null | undefined;
  maxItems?: number | null | undefined;
  items: MultiSelectItems;
  default?: Array<string> | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export interface NameValue {
  readonly name: string;
  readonly value: string;
  readonly _meta?: Meta | null | undefined;
}

export type NamedValues = Readonly<Record<string, string>> | readonly NameValue[];

export declare class NotAnAgentError extends ClientError {
  readonly name = "NotAnAgentError";
  readonly ms: number;
  constructor(ms: number);
}

export type NoticeCapabilities = {
  [key: string]: unknown;
};

export interface NoticeUpdate extends UpdateMeta {
  readonly type: "notice";
  readonly text: "";
  readonly raw: JsonObject;
  readonly severity: string;
  readonly title: string;
  readonly description: string | undefined;
}

export type NumberPropertySchema = {
  title?: string | null | undefined;
  description?: string | null | undefined;
  minimum?: number | null | undefined;
  maximum?: number | null | undefined;
  default?: number | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export interface OpenToolServer<
  Endpoint extends ToolEndpoint = ToolEndpoint,
> extends AsyncDisposable {
  readonly endpoint: Endpoint;
  cancelCalls(until?: Promise<unknown>): void;
  close(): Promise<void>;
}

export interface OpenToolServerOptions {
  readonly onActive?: ((active: boolean) => void) | undefined;
}

export type Overrides<T> = {
  readonly [K in keyof T]?: T[K] | undefined;
};

export declare const PERMISSION_TABLE: Readonly<
  Record<PolicyName, Readonly<Record<ToolKind, PolicyVerdict>>>
>;

export declare const POLICY_NAMES: readonly ["deny", "read", "write", "all"];

export declare const PROTOCOL_VERSION = 1;

export interface ParsedCallOptions<T> extends CallOptions {
  readonly parse: (result: unknown) => T;
}

export interface PermissionChoice {
  readonly optionId: string;
  readonly name: string;
  readonly kind: PermissionOptionKind | typeof UNKNOWN_OPTION_KIND;
  readonly meta?: Meta | undefined;
  readonly raw: RawPermissionOption;
}

export type PermissionDecision =
  | "allow"
  | "deny"
  | "cancel"
  | {
      readonly optionId: string;
      readonly remember?: StickyScope | undefined;
      readonly meta?: Meta | undefined;
    };

export type PermissionFunction = (
  request: PermissionRequest,
) => PermissionDecision | Promise<PermissionDecision>;

export type PermissionOptionKind = "allow_once" | "allow_always" | "reject_once" | "reject_always";

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

export type PermissionSubject =
  | {
      readonly type: "tool_call";
    }
  | {
      readonly type: "read_file";
      readonly path: string;
    }
  | {
      readonly type: "write_file";
      readonly path: string;
      readonly content: string;
    }
  | {
      readonly type: "terminal";
      readonly command: string;
      readonly args: readonly string[];
      readonly cwd: string;
      readonly env: Readonly<Record<string, string>>;
    };

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

export interface PlanChange extends UpdateMeta {
  readonly type: "plan";
  readonly text: "";
  readonly raw: JsonObject;
  readonly entries: readonly PlanEntry[];
}

export type PlanContent =
  | {
      readonly type: "items";
      readonly planId: string;
      readonly entries: readonly PlanEntry[];
    }
  | {
      readonly type: "file";
      readonly planId: string;
      readonly uri: string;
    }
  | {
      readonly type: "markdown";
      readonly planId: string;
      readonly content: string;
    };

export type PlanEntry = {
  content: string;
  priority: PlanEntryPriority;
  status: PlanEntryStatus;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type PlanEntryPriority = "high" | "medium" | "low";

export type PlanEntryStatus = "pending" | "in_progress" | "completed";

export interface PlanRemovedChange extends UpdateMeta {
  readonly type: "plan_removed";
  readonly text: "";
  readonly raw: JsonObject;
  readonly planId: string;
}

export interface PlanUpdateChange extends UpdateMeta {
  readonly type: "plan_update";
  readonly text: "";
  readonly raw: JsonObject;
  readonly plan: PlanContent;
}

export type PolicyName = (typeof POLICY_NAMES)[number];

export type PolicyVerdict = "allow" | "deny";

export type PromptCapabilities = {
  image?: boolean | undefined;
  audio?: boolean | undefined;
  embeddedContext?: boolean | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type PromptContent = string | ContentBlock | readonly (string | ContentBlock)[];

export interface PromptOptions {
  readonly whenBusy?: WhenBusy | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly meta?: Meta | undefined;
}

export interface PromptResult {
  readonly stopReason: StopReason | (string & {});
  readonly meta: Meta | undefined;
  readonly usage?: TurnUsage | undefined;
  readonly raw: JsonObject;
}

export interface PromptTurn extends AsyncIterable<Update> {
  readonly result: Promise<TurnResult>;
  readonly dropped: number;
  cancel(options?: CancelOptions): Promise<void>;
  text(): Promise<string>;
}

export type ProtocolChoice = 1 | 2 | "newest";

export declare class ProtocolViolation extends Error {
  readonly name = "ProtocolViolation";
  readonly method: string;
  readonly path: string;
  readonly expected: string;
  readonly received: unknown;
  constructor(method: string, path: string, expected: string, received: unknown);
}

export interface ProvidedTerminal {
  output(request?: RequestMeta): {
    output: string;
    truncated: boolean;
    exitStatus: TerminalExit | undefined;
  };
  readonly exited: Promise<TerminalExit>;
  readonly waiting?: ((request: RequestMeta) => void) | undefined;
  kill(request?: RequestMeta): Promise<void>;
  release(request?: RequestMeta): Promise<void>;
}

export interface ProviderInfo {
  readonly providerId: string;
  readonly supported: readonly LlmProtocol[];
  readonly required: boolean;
  readonly current?: ProviderRouting | null | undefined;
  readonly _meta?: Meta | null | undefined;
}

export interface ProviderRouting {
  readonly apiType: LlmProtocol;
  readonly baseUrl: string;
  readonly _meta?: Meta | null | undefined;
}

export interface ProviderSettings {
  readonly apiType: LlmProtocol;
  readonly baseUrl: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface RawPermissionOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: string;
  readonly _meta?: Meta | null | undefined;
}

export type ReadFile = (
  request: ReadRequest,
  disk: () => Promise<string>,
) => Promise<string> | string;

export interface ReadRequest extends LineWindow, RequestMeta {
  readonly sessionId: string;
  readonly path: string;
  readonly signal: AbortSignal;
}

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

export declare class RemoteError extends RpcError {
  readonly name = "RemoteError";
  readonly method: string | undefined;
  readonly received: ErrorObject;
  readonly details: string | undefined;
  constructor(error: ErrorObject, method?: string);
}

export interface RemoteMcpServer {
  readonly type: "http" | "sse";
  readonly name: string;
  readonly url: string;
  readonly headers?: NamedValues | undefined;
  readonly meta?: Meta | undefined;
}

export type RequestId = number | string | null;

export interface RequestMeta {
  readonly meta: Meta | undefined;
  readonly answerMeta: (meta: Meta) => void;
}

export interface RequestOptions extends CallOptions, MetaOptions {}

export type ResourceLink = {
  annotations?: Annotations | null | undefined;
  description?: string | null | undefined;
  mimeType?: string | null | undefined;
  name: string;
  size?: number | null | undefined;
  title?: string | null | undefined;
  uri: string;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export interface RetryOptions {
  readonly attempts: number;
  readonly firstMs: number;
  readonly longestMs: number;
  readonly silenceMs: number;
}

export type Role = "assistant" | "user";

export declare class RpcError extends Error {
  readonly name: string;
  readonly code: number;
  readonly data: unknown;
  constructor(code: number, message: string, data?: unknown);
  static methodNotFound(method: string): RpcError;
  static invalidParams(message: string, data?: unknown): RpcError;
}

export type RunLogin = (
  command: CommandLine,
  options: {
    readonly signal?: AbortSignal | undefined;
  },
) => Promise<ExitStatus>;

export declare class SchemaError extends Error {
  readonly name = "SchemaError";
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
  readonly usage: Usage | undefined;
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

export type SessionActivity = "running" | "requires_action" | "idle" | "unknown";

export type SessionAdditionalDirectoriesCapabilities = {
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type SessionArchiveFilter = "exclude" | "include" | "only";

export type SessionCapabilities = {
  list?: SessionListCapabilities | null | undefined;
  delete?: SessionDeleteCapabilities | null | undefined;
  additionalDirectories?: SessionAdditionalDirectoriesCapabilities | null | undefined;
  resume?: SessionResumeCapabilities | null | undefined;
  close?: SessionCloseCapabilities | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type SessionCloseCapabilities = {
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type SessionConfigBoolean = {
  currentValue: boolean;
};

export type SessionConfigGroupId = string;

export type SessionConfigId = string;

export type SessionConfigOption = (
  | (SessionConfigSelect & {
      type: "select";
    })
  | (SessionConfigBoolean & {
      type: "boolean";
    })
) & {
  id: SessionConfigId;
  name: string;
  description?: string | null | undefined;
  category?: SessionConfigOptionCategory | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type SessionConfigOptionCategory =
  | "mode"
  | "model"
  | "model_config"
  | "thought_level"
  | string;

export type SessionConfigOptionsCapabilities = {
  boolean?: BooleanConfigOptionCapabilities | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type SessionConfigSelect = {
  currentValue: SessionConfigValueId;
  options: SessionConfigSelectOptions;
};

export type SessionConfigSelectGroup = {
  group: SessionConfigGroupId;
  name: string;
  options: Array<SessionConfigSelectOption>;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type SessionConfigSelectOption = {
  value: SessionConfigValueId;
  name: string;
  description?: string | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type SessionConfigSelectOptions =
  | Array<SessionConfigSelectOption>
  | Array<SessionConfigSelectGroup>;

export type SessionConfigValueId = string;

export type SessionDeleteCapabilities = {
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export declare class SessionError extends ClientError {
  readonly name = "SessionError";
  readonly sessionId: string;
  constructor(
    code: "unknown_session" | "session_closed" | "session_open",
    sessionId: string,
    options?: ErrorOptions,
  );
}

export type SessionEvent = Update | TurnStarted | TurnEnded | ExtensionEvent;

export interface SessionGateOptions {
  readonly permissions?: Permissions | undefined;
  readonly fs?: FsOptions | undefined;
  readonly terminal?: TerminalProvider | null | undefined;
  readonly elicitation?: ElicitationProvider | null | undefined;
}

export type SessionId = string;

export interface SessionInfo extends StableSessionInfo {
  archived?: boolean | null | undefined;
}

export interface SessionInfoChange extends UpdateMeta {
  readonly type: "session_info_update";
  readonly text: "";
  readonly raw: JsonObject;
  readonly title: string | null | undefined;
  readonly updatedAt: string | null | undefined;
}

export type SessionListCapabilities = {
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export interface SessionMessageChange extends UpdateMeta {
  readonly type: "session_message";
  readonly text: "";
  readonly raw: JsonObject;
  readonly messageId: string;
  readonly senderSessionId: string | null | undefined;
  readonly recipientSessionId: string | null | undefined;
  readonly senderMessageId: string | null | undefined;
  readonly recipientMessageId: string | null | undefined;
  readonly content: readonly ContentBlock[] | null | undefined;
}

export interface SessionMessageChunkChange extends UpdateMeta {
  readonly type: "session_message_chunk";
  readonly text: "";
  readonly raw: JsonObject;
  readonly messageId: string;
  readonly content: ContentBlock;
}

export interface SessionMessageState {
  readonly messageId: string;
  readonly senderSessionId: string | undefined;
  readonly recipientSessionId: string | undefined;
  readonly senderMessageId: string | undefined;
  readonly recipientMessageId: string | undefined;
  readonly content: readonly ContentBlock[];
}

export type SessionMode = {
  id: SessionModeId;
  name: string;
  description?: string | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type SessionModeId = string;

export type SessionModeState = {
  currentModeId: SessionModeId;
  availableModes: Array<SessionMode>;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export interface SessionOptions extends SessionGateOptions, RequestOptions, UnstableSessionOptions {
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[] | undefined;
  readonly mcpServers?: readonly McpServerConfig[] | undefined;
}

export type SessionResumeCapabilities = {
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type SessionRole = "controller" | "observer";

export type SessionStatus = "open" | "saved";

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

export type Shell = readonly [command: string, ...flags: string[]];

export type ShownContent = ToolCallContent & V2ContentFields;

export declare class SpawnError extends Error {
  readonly name = "SpawnError";
  readonly failure: SpawnFailure;
  readonly command: string;
  readonly cwd: string | undefined;
  constructor(failure: SpawnFailure, line: CommandLine, cause: unknown);
}

export type SpawnFailure = "not-found" | "not-executable" | "bad-cwd" | "other";

export type StableSessionInfo = {
  sessionId: SessionId;
  cwd: string;
  additionalDirectories?: Array<string> | undefined;
  title?: string | null | undefined;
  updatedAt?: string | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (
      value: unknown,
    ) => StandardSchemaResult<Output> | Promise<StandardSchemaResult<Output>>;
    readonly types?:
      | {
          readonly input: Input;
          readonly output: Output;
        }
      | undefined;
    readonly jsonSchema?:
      | {
          readonly input: (options: {
            readonly target: "draft-2020-12";
          }) => Record<string, unknown>;
        }
      | undefined;
  };
}

export interface StandardSchemaIssue {
  readonly message: string;
  readonly path?:
    | readonly (
        | PropertyKey
        | {
            readonly key: PropertyKey;
          }
      )[]
    | undefined;
}

export type StandardSchemaResult<Output> =
  | {
      readonly value: Output;
      readonly issues?: undefined;
    }
  | {
      readonly issues: readonly StandardSchemaIssue[];
    };

export declare class StartError extends ClientError {
  readonly name = "StartError";
  readonly stdout: string;
  constructor(cause: unknown, stdout?: string);
}

export interface StateChange extends UpdateMeta {
  readonly type: "state_update";
  readonly text: "";
  readonly raw: JsonObject;
  readonly activity: SessionActivity;
  readonly background: readonly BackgroundWork[] | undefined;
  readonly stopReason: string | undefined;
  readonly error: WorkFailure | undefined;
}

export interface StdioMcpServer {
  readonly type?: "stdio" | undefined;
  readonly name: string;
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: NamedValues | undefined;
  readonly meta?: Meta | undefined;
}

export interface StdioToolEndpoint {
  readonly type: "stdio";
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export type StickyScope = "session" | "agent" | "off";

export type StopReason = (typeof STOP_REASONS)[number];

export interface StoredSessionOptions extends SessionOptions {
  readonly sessionId: string;
}

export type StringFormat = "email" | "uri" | "date" | "date-time";

export type StringMultiSelectItems = {
  enum: Array<string>;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type StringPropertySchema = {
  title?: string | null | undefined;
  description?: string | null | undefined;
  minLength?: number | null | undefined;
  maxLength?: number | null | undefined;
  pattern?: string | null | undefined;
  format?: StringFormat | null | undefined;
  default?: string | null | undefined;
  enum?: Array<string> | null | undefined;
  oneOf?: Array<EnumOption> | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export interface Subagent {
  readonly id: string;
  readonly details: SubagentState | undefined;
  readonly toolCalls: ReadonlyMap<string, ToolCallState>;
  readonly plan: readonly PlanEntry[];
  readonly plans: ReadonlyMap<string, PlanContent>;
  readonly usage: Usage | undefined;
  readonly subagents: ReadonlyMap<string, SubagentState>;
  subagent(id: string): Subagent;
  updates(): AsyncStream<SessionEvent>;
  cancel(): Promise<void>;
}

export type SubagentActivity =
  | {
      readonly state: "running" | "requires_action" | "unknown";
    }
  | {
      readonly state: "idle";
      readonly stopReason?: StopReason | "error" | (string & {}) | null | undefined;
      readonly error?: SubagentFailure | null | undefined;
      readonly usage?: TurnUsage | null | undefined;
    };

export interface SubagentChange extends UpdateMeta {
  readonly type: "subagent_update";
  readonly text: "";
  readonly raw: JsonObject;
  readonly sessionId: string;
  readonly title: string | null | undefined;
  readonly description: string | null | undefined;
  readonly canCancel: boolean | undefined;
  readonly activity: SubagentActivity | null | undefined;
  readonly cwd: string | null | undefined;
  readonly additionalDirectories: readonly string[] | null | undefined;
}

export interface SubagentFailure {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface SubagentState {
  readonly sessionId: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly canCancel: boolean;
  readonly activity: SubagentActivity | undefined;
  readonly cwd: string | undefined;
  readonly additionalDirectories: readonly string[] | undefined;
}

export type SystemPromptInput =
  | string
  | {
      readonly mode?: SystemPromptMode | undefined;
      readonly text: string;
    };

export type SystemPromptMode = "append" | "override";

export type Tap = (event: TapEvent) => void;

export interface TapEvent {
  readonly at: number;
  readonly monotonic?: number | undefined;
  readonly direction: Direction;
  readonly line: string;
}

export interface TargetCommand {
  readonly line: string | undefined;
  readonly words: readonly string[] | undefined;
  readonly cwd: TargetPath;
  readonly env: Readonly<Record<string, string>>;
}

export interface TargetPath {
  readonly path: string;
  readonly realPath: string | undefined;
  readonly isInside: boolean;
}

export type TerminalContent = {
  terminalId: TerminalId;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export interface TerminalEnd {
  readonly code: number | undefined;
  readonly signal: string | undefined;
}

export type TerminalEvent = {
  readonly sessionId: string;
  readonly terminalId: string;
} & (
  | {
      readonly type: "created";
      readonly command: string;
      readonly args: readonly string[];
      readonly cwd: string;
    }
  | {
      readonly type: "output";
      readonly text: string;
    }
  | ({
      readonly type: "exited";
    } & TerminalExit)
  | {
      readonly type: "released";
    }
);

export interface TerminalExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly meta?: Meta | undefined;
}

export type TerminalId = string;

export interface TerminalProvider {
  create(request: TerminalRequest): Promise<ProvidedTerminal>;
  readonly usesDisk?: boolean | undefined;
}

export interface TerminalRequest extends RequestMeta {
  readonly sessionId: string;
  readonly terminalId: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly entry: string;
  readonly env: Readonly<Record<string, string>>;
  readonly outputByteLimit: number | undefined;
  readonly onOutput: (text: string) => void;
}

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

export type TextContent = {
  annotations?: Annotations | null | undefined;
  text: string;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type TextResourceContents = {
  mimeType?: string | null | undefined;
  text: string;
  uri: string;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export declare class TimeoutError extends ClientError {
  readonly name = "TimeoutError";
  readonly limit: TimeoutKind;
  readonly ms: number;
  constructor(limit: TimeoutKind, ms: number, method: string);
}

export type TimeoutKind = "start" | "request" | "turnIdle" | "turn";

export interface Timeouts {
  readonly start?: number | undefined;
  readonly request?: number | undefined;
  readonly turnIdle?: number | undefined;
  readonly turn?: number | undefined;
  readonly cancelGrace?: number | undefined;
}

export type TitledMultiSelectItems = {
  anyOf: Array<EnumOption>;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export interface ToolCallChange extends ToolCallPatch, UpdateCarrier {
  readonly type: "tool_call" | "tool_call_update";
  readonly text: "";
  readonly raw: JsonObject;
}

export type ToolCallContent =
  | (Content & {
      type: "content";
    })
  | (Diff & {
      type: "diff";
    })
  | (TerminalContent & {
      type: "terminal";
    });

export type ToolCallLocation = {
  path: string;
  line?: number | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export interface ToolCallPatch {
  readonly toolCallId: string;
  readonly title: string | undefined;
  readonly name: string | undefined;
  readonly kind: ToolKind | undefined;
  readonly rawKind: string | undefined;
  readonly status: ToolCallStatus | undefined;
  readonly rawStatus: string | undefined;
  readonly content: readonly ShownContent[] | undefined;
  readonly locations: readonly ToolCallLocation[] | undefined;
  readonly rawInput: unknown;
  readonly rawOutput: unknown;
  readonly canCancel?: boolean | undefined;
  readonly cleared?: readonly string[] | undefined;
  readonly meta: Meta | undefined;
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

export type ToolCallStatus = "pending" | "in_progress" | "completed" | "failed";

export type ToolEndpoint = AcpToolEndpoint | HttpToolEndpoint | StdioToolEndpoint;

export type ToolKind =
  | "read"
  | "edit"
  | "delete"
  | "move"
  | "search"
  | "execute"
  | "think"
  | "fetch"
  | "switch_mode"
  | "other";

export interface ToolServer {
  readonly type: "tools";
  readonly name: string;
  readonly transport: ToolTransport | undefined;
  open(transport: "acp", options?: OpenToolServerOptions): Promise<OpenToolServer<AcpToolEndpoint>>;
  open(
    transport: "http",
    options?: OpenToolServerOptions,
  ): Promise<OpenToolServer<HttpToolEndpoint>>;
  open(
    transport: "stdio",
    options?: OpenToolServerOptions,
  ): Promise<OpenToolServer<StdioToolEndpoint>>;
  open(transport: ToolTransport, options?: OpenToolServerOptions): Promise<OpenToolServer>;
}

export interface ToolServerRequest {
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly signal: AbortSignal;
  readonly notify: (method: string, params?: JsonObject) => Promise<void>;
}

export type ToolTransport = "acp" | "http" | "stdio";

export interface TurnEnded {
  readonly type: "turn_ended";
  readonly text: "";
  readonly stopReason: string | undefined;
  readonly error: Error | undefined;
}

export declare class TurnIncompleteError extends ClientError {
  readonly name = "TurnIncompleteError";
  readonly result: PromptResult;
  constructor(result: PromptResult);
}

export type TurnResult = PromptResult;

export interface TurnStarted {
  readonly type: "turn_started";
  readonly text: "";
}

export type TurnState = "idle" | "prompting" | "streaming" | "waiting_permission" | "cancelling";

export interface TurnUsage {
  readonly totalTokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly thoughtTokens?: number | null | undefined;
  readonly cachedReadTokens?: number | null | undefined;
  readonly cachedWriteTokens?: number | null | undefined;
  readonly _meta?: Meta | null | undefined;
}

export interface TypedAnswer<T, Result> {
  readonly value: T;
  readonly text: string;
  readonly attempts: number;
  readonly result: Result;
}

export interface TypedAnswerOptions<S extends AnswerSchema = AnswerSchema>
  extends AnswerOptions<S>, PromptOptions {}

export interface UnknownUpdate extends UpdateMeta {
  readonly type: "unknown";
  readonly text: "";
  readonly raw: unknown;
  readonly kind: string;
}

export declare class UnreadLimitError extends Error {
  readonly name = "UnreadLimitError";
  readonly limit: number;
  constructor(limit: number);
}

export interface UnstableAgentCapabilities {
  readonly mcpCapabilities?:
    | {
        readonly acp?: boolean | undefined;
      }
    | undefined;
  readonly sessionCapabilities?:
    | {
        readonly systemPrompt?:
          | {
              readonly mode?:
                | {
                    readonly override?: CapabilityMarker | undefined;
                  }
                | undefined;
            }
          | undefined;
        readonly fork?: CapabilityMarker | undefined;
        readonly archive?: CapabilityMarker | undefined;
        readonly status?: CapabilityMarker | undefined;
        readonly title?: CapabilityMarker | undefined;
      }
    | undefined;
  readonly auth?:
    | {
        readonly status?: CapabilityMarker | undefined;
      }
    | undefined;
  readonly providers?: CapabilityMarker | undefined;
}

export interface UnstableConfig {
  readonly unstable?: boolean | undefined;
  readonly onAuthStatus?: ((status: AuthStatus) => void) | undefined;
}

export interface UnstableSessionOptions {
  readonly systemPrompt?: SystemPromptInput | undefined;
}

export type UnstableUpdate =
  | PlanUpdateChange
  | PlanRemovedChange
  | SubagentChange
  | SessionMessageChange
  | SessionMessageChunkChange;

export type UnstructuredCommandInput = {
  hint: string;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export declare class UnsupportedVersionError extends ClientError {
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
  | UnstableUpdate
  | V2Update
  | UnknownUpdate;

export interface UpdateCarrier {
  readonly notificationMeta?: Meta | undefined;
}

export interface UpdateMeta extends UpdateCarrier {
  readonly meta?: Meta | undefined;
}

export type UpdateOf<T extends UpdateType> = Extract<Update, Readonly<Record<"type", T>>>;

export type UpdateType = Update["type"];

export declare class UpdatesLostError extends ClientError {
  readonly name = "UpdatesLostError";
  readonly count: number;
  constructor(count: number);
}

export interface UrlElicitation extends ElicitationScope, RequestMeta {
  readonly message: string;
  readonly url: URL;
  readonly elicitationId: string;
  readonly signal: AbortSignal;
}

export interface UrlTarget {
  readonly url: string | URL;
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly remoteFiles?: boolean | undefined;
  readonly command?: undefined;
  readonly channel?: undefined;
}

export interface Usage {
  readonly used: number;
  readonly size: number;
  readonly cost?: Cost | undefined;
}

export interface UsageChange extends UpdateMeta {
  readonly type: "usage_update";
  readonly text: "";
  readonly raw: JsonObject;
  readonly used: number;
  readonly size: number;
  readonly cost: Cost | undefined;
}

export interface UserMessageChunk extends UpdateMeta {
  readonly type: "user_message_chunk";
  readonly text: "";
  readonly raw: JsonObject;
  readonly content: ContentBlock;
  readonly messageId: string | undefined;
}

export interface V2ContentFields {
  readonly change?: DiffChange | undefined;
  readonly patch?: string | undefined;
  readonly terminalId?: string | undefined;
}

export type V2Update = StateChange | MessageChange | AgentTerminalChange | AgentTerminalChunk;

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

export declare class WebSocketError extends Error {
  readonly name = "WebSocketError";
  readonly code: number;
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

export type WhenBusy = "throw" | "wait" | "send";

export interface WorkFailure {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export type WriteFile = (request: WriteRequest, disk: () => Promise<void>) => Promise<void> | void;

export interface WriteRequest extends RequestMeta {
  readonly sessionId: string;
  readonly path: string;
  readonly content: string;
  readonly signal: AbortSignal;
}

export declare function byteStreamChannel(stream: ByteStream, options?: ByteStreamOptions): Channel;

export declare function channelFromStream(stream: MessageStream): Channel;

export declare function connectRemote(
  url: string | URL,
  options?: ConnectRemoteOptions,
): Promise<Channel>;

export declare function connectWebSocket(
  url: string,
  options?: ConnectWebSocketOptions,
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

export declare function typedAnswer<const S extends AnswerSchema>(
  session: Session,
  prompt: PromptContent,
  options: TypedAnswerOptions<S>,
): Promise<TypedAnswer<AnswerOf<S>, TurnResult>>;

export declare function webSocketChannel(
  socket: WebSocketLike,
  options?: WebSocketChannelOptions,
): Channel;

export declare function withParams<P, Rest extends unknown[], R>(
  parse: (params: unknown) => P,
  handler: (params: P, ...rest: Rest) => R,
): (params: unknown, ...rest: Rest) => R;

declare const UNKNOWN_OPTION_KIND = "unknown";

declare const STOP_REASONS: readonly [
  "end_turn",
  "max_tokens",
  "max_turn_requests",
  "refusal",
  "cancelled",
];
