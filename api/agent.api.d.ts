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
  readonly whenBusy?: "throw" | "wait" | undefined;
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

export type AvailableCommandsUpdate = {
  availableCommands: Array<AvailableCommand>;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type Awaitable<T> = T | Promise<T>;

export declare class BacklogError extends DragomanError {
  readonly name = "BacklogError";
  constructor(limit: number);
}

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

export interface ByteStream {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
}

export interface ByteStreamOptions {
  readonly maxLineBytes?: number | undefined;
}

export declare class CallCancelledError extends DragomanError {
  readonly name = "CallCancelledError";
  readonly method: string;
  constructor(method: string, cause: unknown);
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface CapabilityMarker {
  readonly _meta?: Meta | null | undefined;
}

export type CapabilityMeta = {
  readonly [P in CapabilityPath]?: Meta | undefined;
};

export type CapabilityPath =
  | ""
  | "promptCapabilities"
  | "mcpCapabilities"
  | "sessionCapabilities"
  | `sessionCapabilities.${"list" | "delete" | "resume" | "close" | "additionalDirectories" | "fork"}`
  | `sessionCapabilities.${"archive" | "status" | "title" | "systemPrompt"}`
  | "auth"
  | "auth.logout"
  | "auth.status"
  | "providers";

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

export type ClientCapability = keyof typeof ALL_CLIENT_MARKERS;

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

export type CompactionCapabilities = {
  [key: string]: unknown;
};

export interface CompactionDetails {
  readonly summary?: string | undefined;
  readonly error?: string | undefined;
}

export type CompactionId = string;

export type CompactionStatus = "in_progress" | "completed" | "failed" | "cancelled" | string;

export type CompactionSummaryChunk = {
  compactionId: CompactionId;
  content: ContentBlock;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type CompactionUpdate = {
  compactionId: CompactionId;
  status: CompactionStatus;
  summary?: Array<ContentBlock> | null | undefined;
  error?: string | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type ConfigOptionUpdate = {
  configOptions: Array<SessionConfigOption>;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export declare class ConnectionError extends DragomanError {
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

export type ContentChunk = {
  content: ContentBlock;
  messageId?: MessageId | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

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

export type CurrentModeUpdate = {
  currentModeId: SessionModeId;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

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

export interface EmptyAnswer {
  readonly meta?: Meta | undefined;
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

export type EnvVariable = {
  name: string;
  value: string;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

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

export interface FormQuestion extends RequestOptions {
  readonly message: string;
  readonly schema: ElicitationSchema;
  readonly toolCallId?: string | undefined;
}

export type HttpHeader = {
  name: string;
  value: string;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

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

export type JsonObject = {
  readonly [key: string]: unknown;
};

export declare class LineTooLongError extends DragomanError {
  readonly name = "LineTooLongError";
  readonly limit: number;
  constructor(limit: number);
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

export interface ListenSocketOptions extends StreamChannelOptions, ListenerOptions {}

export interface Listener {
  open(accept: (channel: Channel) => void): void;
  close(): Promise<void>;
  readonly closed: Promise<Error | undefined>;
}

export interface ListenerOptions {
  readonly maxConnections?: number | undefined;
}

export type LlmProtocol = "anthropic" | "openai" | "azure" | "vertex" | "bedrock" | (string & {});

export type LogFields = Readonly<Record<string, unknown>>;

export interface Logger {
  readonly debug?: ((message: string, fields?: LogFields) => void) | undefined;
  readonly info?: ((message: string, fields?: LogFields) => void) | undefined;
  readonly warn?: ((message: string, fields?: LogFields) => void) | undefined;
  readonly error?: ((message: string, fields?: LogFields) => void) | undefined;
}

export interface McpCallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onNotification?: ((method: string, params: JsonObject | undefined) => void) | undefined;
}

export interface McpCaller {
  readonly name: string;
  readonly serverId: string;
  request(method: string, params?: JsonObject, options?: McpCallOptions): Promise<unknown>;
}

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

export declare class McpError extends DragomanError {
  readonly name = "McpError";
  readonly rpcCode: number;
  readonly data: unknown;
  constructor({ code, message, data }: McpErrorObject);
}

export interface McpErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export type McpServer = StableMcpServer | McpServerAcp;

export interface McpServerAcp {
  readonly type: "acp";
  readonly name: string;
  readonly serverId: string;
  readonly _meta?: Meta | null | undefined;
}

export type McpServerHttp = {
  name: string;
  url: string;
  headers: Array<HttpHeader>;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type McpServerSse = {
  name: string;
  url: string;
  headers: Array<HttpHeader>;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type McpServerStdio = {
  name: string;
  command: string;
  args: Array<string>;
  env: Array<EnvVariable>;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type MessageId = string;

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

export type Meta = Readonly<Record<string, unknown>>;

export interface MetaOptions {
  readonly meta?: Meta | undefined;
  readonly onMeta?: ((meta: Meta) => void) | undefined;
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

export interface Notice {
  readonly severity: "info" | "warning" | "error";
  readonly title: string;
  readonly description?: string | undefined;
}

export type NoticeCapabilities = {
  [key: string]: unknown;
};

export type NoticeContent = {
  severity: NoticeSeverity;
  title: string;
  description?: string | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type NoticeSeverity = "info" | "warning" | "error" | string;

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

export type Opened = "new" | "load" | "resume" | "fork";

export declare const PROTOCOL_VERSION = 1;

export interface ParsedCallOptions<T> extends CallOptions {
  readonly parse: (result: unknown) => T;
}

export interface PermissionAnswer {
  readonly allowed: boolean;
  readonly outcome: "selected" | "cancelled";
  readonly optionId: string | undefined;
  readonly always: boolean;
  readonly meta: Meta | undefined;
}

export type PermissionOption = {
  optionId: PermissionOptionId;
  name: string;
  kind: PermissionOptionKind;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type PermissionOptionId = string;

export type PermissionOptionKind = "allow_once" | "allow_always" | "reject_once" | "reject_always";

export interface PermissionQuestion extends CallOptions {
  readonly options?: readonly PermissionOption[] | undefined;
  readonly always?: boolean | undefined;
  readonly requestMeta?: Meta | undefined;
}

export type Plan = {
  entries: Array<PlanEntry>;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

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

export type PlanPriority = (typeof PLAN_PRIORITIES)[number];

export interface PlanRemoved {
  readonly sessionUpdate: "plan_removed";
  readonly planId: string;
  readonly _meta?: Meta | null | undefined;
}

export type PlanStatus = (typeof PLAN_STATUSES)[number];

export interface PlanUpdate {
  readonly sessionUpdate: "plan_update";
  readonly plan: PlanContent;
  readonly _meta?: Meta | null | undefined;
}

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

export type ProtocolVersion = 1 | 2;

export declare class ProtocolViolation extends DragomanError {
  readonly name = "ProtocolViolation";
  readonly method: string;
  readonly path: string;
  readonly expected: string;
  readonly received: unknown;
  constructor(method: string, path: string, expected: string, received: unknown);
}

export interface ProviderHandlers {
  list(scope: RequestScope): Awaitable<readonly ProviderInfo[]>;
  set(
    providerId: string,
    settings: ProviderSettings,
    scope: RequestScope,
  ): Awaitable<EmptyAnswer | void>;
  disable(providerId: string, scope: RequestScope): Awaitable<EmptyAnswer | void>;
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

export interface ProxiedMessage {
  readonly method: string;
  readonly params: unknown;
}

export interface ProxiedRequest extends ProxiedMessage {
  readonly signal: AbortSignal;
  readonly forward: (params?: unknown) => Promise<unknown>;
}

export interface ProxyDefinition {
  readonly unstable: true;
  readonly fromClient?: ProxyHandlers | undefined;
  readonly fromAgent?: ProxyHandlers | undefined;
  readonly logger?: Logger | undefined;
}

export interface ProxyHandlers {
  readonly request?: ((request: ProxiedRequest) => unknown) | undefined;
  readonly notification?:
    | ((notification: ProxiedMessage) => ProxiedMessage | undefined)
    | undefined;
}

export interface ReadRange extends RequestOptions {
  readonly line?: number | undefined;
  readonly limit?: number | undefined;
}

export declare class RemoteError extends RpcError {
  readonly name = "RemoteError";
  readonly method: string | undefined;
  readonly received: ErrorObject;
  readonly details: string | undefined;
  constructor(error: ErrorObject, method?: string);
}

export interface ReportedExit {
  readonly exitCode?: number | null | undefined;
  readonly signal?: string | null | undefined;
}

export interface ReportedTerminal {
  readonly id: string;
  readonly content: ToolCallContent;
  readonly signal: AbortSignal;
  write(data: string | Uint8Array): Promise<void>;
  replace(data: string | Uint8Array): Promise<void>;
  exit(status?: ReportedExit): Promise<void>;
}

export interface RequestOptions extends CallOptions, MetaOptions {}

export interface RequestScope {
  readonly client: Client;
  readonly meta: Meta;
  readonly signal: AbortSignal;
}

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

export type Role = "assistant" | "user";

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

export type SessionArchiveFilter = "exclude" | "include" | "only";

export declare class SessionClosedError extends DragomanError {
  readonly name = "SessionClosedError";
  readonly sessionId: string;
  constructor(sessionId: string);
}

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

export type SessionId = string;

export interface SessionInfo extends StableSessionInfo {
  archived?: boolean | null | undefined;
}

export type SessionInfoUpdate = {
  title?: string | null | undefined;
  updatedAt?: string | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export interface SessionMessage extends SessionMessageDetails {
  readonly sessionUpdate: "session_message";
  readonly messageId: string;
  readonly _meta?: Meta | null | undefined;
}

export interface SessionMessageChunk {
  readonly sessionUpdate: "session_message_chunk";
  readonly messageId: string;
  readonly content: ContentBlock;
  readonly _meta?: Meta | null | undefined;
}

export interface SessionMessageDetails {
  readonly senderSessionId?: string | null | undefined;
  readonly recipientSessionId?: string | null | undefined;
  readonly senderMessageId?: string | null | undefined;
  readonly recipientMessageId?: string | null | undefined;
  readonly content?: readonly ContentBlock[] | null | undefined;
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
  usage(usage: Usage, options?: SendOptions): Promise<void>;
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

export type SessionUpdate = StableSessionUpdate | UnstableSessionUpdate;

export interface SessionWorkspace {
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly mcpServers: readonly McpServer[];
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

export type StableMcpServer =
  | (McpServerHttp & {
      type: "http";
    })
  | (McpServerSse & {
      type: "sse";
    })
  | McpServerStdio;

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

export type StableSessionUpdate =
  | (ContentChunk & {
      sessionUpdate: "user_message_chunk";
    })
  | (ContentChunk & {
      sessionUpdate: "agent_message_chunk";
    })
  | (ContentChunk & {
      sessionUpdate: "agent_thought_chunk";
    })
  | (ToolCall & {
      sessionUpdate: "tool_call";
    })
  | (ToolCallUpdate & {
      sessionUpdate: "tool_call_update";
    })
  | (Plan & {
      sessionUpdate: "plan";
    })
  | (AvailableCommandsUpdate & {
      sessionUpdate: "available_commands_update";
    })
  | (CurrentModeUpdate & {
      sessionUpdate: "current_mode_update";
    })
  | (ConfigOptionUpdate & {
      sessionUpdate: "config_option_update";
    })
  | (SessionInfoUpdate & {
      sessionUpdate: "session_info_update";
    })
  | (UsageUpdate & {
      sessionUpdate: "usage_update";
    })
  | (NoticeContent & {
      sessionUpdate: "notice";
    })
  | (CompactionUpdate & {
      sessionUpdate: "compaction_update";
    })
  | (CompactionSummaryChunk & {
      sessionUpdate: "compaction_summary_chunk";
    });

export type StopReason = (typeof STOP_REASONS)[number];

export interface StreamChannelOptions {
  readonly maxLineBytes?: number | undefined;
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

export interface SubagentCapabilities {
  readonly cancel?: CapabilityMarker | null | undefined;
}

export interface SubagentDetails {
  readonly title?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly capabilities?: SubagentCapabilities | null | undefined;
  readonly state?: SubagentActivity | null | undefined;
  readonly cwd?: string | null | undefined;
  readonly additionalDirectories?: readonly string[] | null | undefined;
}

export interface SubagentFailure {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface SubagentHandle extends SessionSender {
  readonly id: string;
  readonly signal: AbortSignal;
  describe(details: SubagentDetails, options?: SendOptions): Promise<void>;
  say(content: string | ContentBlock, options?: SendOptions): Promise<void>;
  askAbout(toolCall: ToolCallUpdate, question?: PermissionQuestion): Promise<PermissionAnswer>;
}

export interface SubagentUpdate extends SubagentDetails {
  readonly sessionUpdate: "subagent_update";
  readonly sessionId: string;
  readonly _meta?: Meta | null | undefined;
}

export interface SystemPrompt {
  readonly mode: SystemPromptMode;
  readonly content: readonly ContentBlock[];
  readonly _meta?: Meta | null | undefined;
}

export type SystemPromptMode = "append" | "override";

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

export type TerminalContent = {
  terminalId: TerminalId;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export interface TerminalExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly meta?: Meta | undefined;
}

export type TerminalId = string;

export interface TerminalOutput {
  readonly output: string;
  readonly truncated: boolean;
  readonly exitStatus: TerminalExit | undefined;
}

export interface TerminalReport {
  readonly command: string;
  readonly cwd?: string | undefined;
  readonly terminalId?: string | undefined;
  readonly background?: boolean | undefined;
  readonly canCancel?: boolean | undefined;
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

export type TitledMultiSelectItems = {
  anyOf: Array<EnumOption>;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export type ToolCall = {
  toolCallId: ToolCallId;
  title: string;
  name?: string | null | undefined;
  kind?: ToolKind | undefined;
  status?: ToolCallStatus | undefined;
  content?: Array<ToolCallContent> | undefined;
  locations?: Array<ToolCallLocation> | undefined;
  rawInput?: unknown;
  rawOutput?: unknown;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

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

export type ToolCallId = string;

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

export interface ToolCallStart extends ToolCallDetails {
  readonly title: string;
  readonly toolCallId?: string | undefined;
  readonly background?: boolean | undefined;
  readonly canCancel?: boolean | undefined;
}

export type ToolCallStatus = "pending" | "in_progress" | "completed" | "failed";

export type ToolCallUpdate = {
  toolCallId: ToolCallId;
  kind?: ToolKind | null | undefined;
  status?: ToolCallStatus | null | undefined;
  title?: string | null | undefined;
  name?: string | null | undefined;
  content?: Array<ToolCallContent> | null | undefined;
  locations?: Array<ToolCallLocation> | null | undefined;
  rawInput?: unknown;
  rawOutput?: unknown;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

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
      readonly usage?: TurnUsage | undefined;
    }
  | undefined
  | void;

export declare class TurnEndedError extends DragomanError {
  readonly name = "TurnEndedError";
  constructor();
}

export interface TurnUsage {
  readonly totalTokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly thoughtTokens?: number | null | undefined;
  readonly cachedReadTokens?: number | null | undefined;
  readonly cachedWriteTokens?: number | null | undefined;
  readonly _meta?: Meta | null | undefined;
}

export declare class UnreadLimitError extends DragomanError {
  readonly name = "UnreadLimitError";
  readonly limit: number;
  constructor(limit: number);
}

export interface UnstableClientCapabilities {
  readonly plan?: CapabilityMarker | undefined;
  readonly subagents?: CapabilityMarker | undefined;
}

export interface UnstableDefinition {
  readonly unstable?: boolean | undefined;
  readonly authStatus?: ((scope: RequestScope) => Awaitable<AuthStatus>) | undefined;
  readonly providers?: ProviderHandlers | undefined;
  readonly archiveSession?:
    | ((sessionId: string, scope: RequestScope) => Awaitable<EmptyAnswer | void>)
    | undefined;
  readonly unarchiveSession?:
    | ((sessionId: string, scope: RequestScope) => Awaitable<EmptyAnswer | void>)
    | undefined;
  readonly sessionStatus?:
    | ((sessionId: string, scope: RequestScope) => Awaitable<"open" | "saved" | undefined>)
    | undefined;
  readonly setTitle?:
    | ((sessionId: string, title: string, scope: RequestScope) => Awaitable<string | void>)
    | undefined;
  readonly systemPrompt?:
    | boolean
    | {
        readonly override: boolean;
      }
    | undefined;
}

export interface UnstableListRequest {
  readonly archived: SessionArchiveFilter;
}

export interface UnstableSender {
  planUpdate(plan: PlanContent, options?: SendOptions): Promise<void>;
  planRemoved(planId: string, options?: SendOptions): Promise<void>;
  subagentUpdate(sessionId: string, details: SubagentDetails, options?: SendOptions): Promise<void>;
  sessionMessage(
    messageId: string,
    details: SessionMessageDetails,
    options?: SendOptions,
  ): Promise<void>;
  sessionMessageChunk(
    messageId: string,
    content: string | ContentBlock,
    options?: SendOptions,
  ): Promise<void>;
}

export interface UnstableSession {
  mcp(name: string): McpCaller;
  openSubagent(
    details?: SubagentDetails,
    options?: {
      readonly id?: string | undefined;
    },
  ): Promise<SubagentHandle>;
}

export interface UnstableSessionStart {
  readonly systemPrompt: SystemPrompt | undefined;
}

export type UnstableSessionUpdate =
  | PlanUpdate
  | PlanRemoved
  | SubagentUpdate
  | SessionMessage
  | SessionMessageChunk;

export type UnstructuredCommandInput = {
  hint: string;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

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

export interface Usage {
  readonly used: number;
  readonly size: number;
  readonly cost?: Cost | undefined;
}

export type UsageUpdate = {
  used: number;
  size: number;
  cost?: Cost | null | undefined;
  _meta?:
    | {
        [key: string]: unknown;
      }
    | null
    | undefined;
};

export interface WebSocketChannelOptions {
  readonly maxLineBytes?: number | undefined;
  readonly maxUnreadBytes?: number | undefined;
  readonly binaryFrames?: "close" | "ignore" | "text" | undefined;
}

export interface WebSocketCloseFrame {
  readonly code: number;
  readonly reason: string;
}

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

export declare function serveProxy(
  channel: Channel,
  definition: ProxyDefinition,
): Promise<CloseReason>;

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

declare const PLAN_PRIORITIES: readonly ["high", "medium", "low"];

declare const PLAN_STATUSES: readonly ["pending", "in_progress", "completed"];

declare const STOP_REASONS: readonly [
  "end_turn",
  "max_tokens",
  "max_turn_requests",
  "refusal",
  "cancelled",
];
