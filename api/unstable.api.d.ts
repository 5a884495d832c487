// The public interface of `dragoman/unstable`, written by `npm run docs`.

export interface AgentProviders {
  list(options?: RequestOptions): Promise<readonly ProviderInfo[]>;
  set(providerId: string, settings: ProviderSettings, options?: RequestOptions): Promise<void>;
  disable(providerId: string, options?: RequestOptions): Promise<void>;
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

export type AnyUpdate = Exclude<Update, DraftUpdate> | UnstableUpdate | V2Update;

export interface AuthStatus {
  readonly state: AuthState;
  readonly accounts?: readonly AuthAccount[] | undefined;
  readonly _meta?: Meta | null | undefined;
}

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

export type InProcessMcpServer = HandledMcpServer | ConnectedMcpServer;

export interface McpCallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onNotification?: ((method: string, params: JsonObject | undefined) => void) | undefined;
}

export interface McpCaller {
  readonly name: string;
  readonly serverId: string;
  request(method: string, params?: JsonObject, options?: McpCallOptions): Promise<unknown>;
}

export declare class McpError extends DragomanError {
  readonly name = "McpError";
  readonly rpcCode: number;
  readonly data: unknown;
  constructor({ code, message, data }: McpErrorObject);
}

export interface McpRequest {
  readonly requestId: string;
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly signal: AbortSignal;
  readonly notify: (method: string, params?: JsonObject) => Promise<void>;
}

export interface McpTransport {
  onmessage: (message: McpMessage) => void;
  onclose: () => void;
  onerror: (error: Error) => void;
  start(): Promise<void>;
  send(message: McpMessage, options?: McpSendOptions): Promise<void>;
  close(): Promise<void>;
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

export type ProtocolChoice = 1 | 2 | "newest";

export type ProtocolVersion = 1 | 2;

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

export interface ReportedTerminal {
  readonly id: string;
  readonly content: ToolCallContent;
  readonly signal: AbortSignal;
  write(data: string | Uint8Array): Promise<void>;
  replace(data: string | Uint8Array): Promise<void>;
  exit(status?: ReportedExit): Promise<void>;
}

export type SessionActivity = "running" | "requires_action" | "idle" | "unknown";

export interface SessionMessageState {
  readonly messageId: string;
  readonly senderSessionId: string | undefined;
  readonly recipientSessionId: string | undefined;
  readonly senderMessageId: string | undefined;
  readonly recipientMessageId: string | undefined;
  readonly content: readonly ContentBlock[];
}

export type SessionStatus = "open" | "saved";

export interface Subagent {
  readonly id: string;
  readonly details: SubagentState | undefined;
  readonly toolCalls: ReadonlyMap<string, ToolCallState>;
  readonly plan: readonly PlanEntry[];
  readonly plans: ReadonlyMap<string, PlanContent>;
  readonly contextUsage: ContextUsage | undefined;
  readonly cost: Cost | undefined;
  readonly subagents: ReadonlyMap<string, SubagentState>;
  subagent(id: string): Subagent;
  updates(): AsyncStream<SessionEvent>;
  cancel(): Promise<void>;
}

export interface SubagentHandle extends SessionSender {
  readonly id: string;
  readonly signal: AbortSignal;
  describe(details: SubagentDetails, options?: SendOptions): Promise<void>;
  say(content: string | ContentBlock, options?: SendOptions): Promise<void>;
  askAbout(toolCall: ToolCallUpdate, question?: PermissionQuestion): Promise<PermissionAnswer>;
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

export interface TranslatedFrames {
  readonly toAgent: readonly JsonObject[];
  readonly toClient: readonly JsonObject[];
}

export interface TranslatorOptions {
  readonly client: ProtocolVersion;
  readonly agent: ProtocolVersion;
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

export interface UnstableClientCapabilities {
  readonly plan?: CapabilityMarker | undefined;
  readonly subagents?: CapabilityMarker | undefined;
}

export interface UnstableConfig {
  readonly unstable?: boolean | undefined;
  readonly onAuthStatus?: ((status: AuthStatus) => void) | undefined;
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

export interface UnstableSessionOptions {
  readonly systemPrompt?: SystemPromptInput | undefined;
}

export type UnstableSessionUpdate =
  | PlanUpdate
  | PlanRemoved
  | SubagentUpdate
  | SessionMessage
  | SessionMessageChunk;

export type UnstableUpdate =
  | PlanUpdateChange
  | PlanRemovedChange
  | SubagentChange
  | SessionMessageChange
  | SessionMessageChunkChange;

export interface V2Loss {
  readonly id: string;
  readonly to: "v1 client" | "v1 agent" | "v2 client" | "v2 agent";
  readonly sent: string;
  readonly received: string;
}

export type V2LossId = (typeof V2_LOSSES)[number]["id"];

export type V2Update = StateChange | MessageChange | AgentTerminalChange | AgentTerminalChunk;

export declare const V2_LOSSES: readonly [
  {
    readonly id: "state";
    readonly to: "v1 client";
    readonly sent: "`state_update`: `requires_action`, background work, work that the agent starts itself";
    readonly received: "nothing; the prompt is answered at the idle state that ends it";
  },
  {
    readonly id: "stop-reason";
    readonly to: "v1 client";
    readonly sent: "an idle state without a stop reason, or with an unknown one";
    readonly received: "`end_turn`, and the value in `_meta`";
  },
  {
    readonly id: "user-echo";
    readonly to: "v1 client";
    readonly sent: "the user's message, repeated during its turn";
    readonly received: "nothing";
  },
  {
    readonly id: "message-replaced";
    readonly to: "v1 client";
    readonly sent: "a message that replaces or clears what was streamed";
    readonly received: "a new message with the new content";
  },
  {
    readonly id: "tool-value-cleared";
    readonly to: "v1 client";
    readonly sent: "null for the title, name, input or output of a tool call";
    readonly received: "the old value stays";
  },
  {
    readonly id: "tool-status";
    readonly to: "v1 client";
    readonly sent: "the statuses `cancelled`, `paused` and unknown ones";
    readonly received: "`failed` or `in_progress`, and the value in `_meta`";
  },
  {
    readonly id: "tool-kind";
    readonly to: "v1 client";
    readonly sent: "an unknown tool kind";
    readonly received: "`other`, and the value in `_meta`";
  },
  {
    readonly id: "tool-cancel";
    readonly to: "v1 client";
    readonly sent: "`capabilities.cancel` of a tool call or terminal";
    readonly received: "nothing; v1 cannot cancel either";
  },
  {
    readonly id: "diff";
    readonly to: "v1 client";
    readonly sent: "a diff with moves, copies, binary files or without a patch";
    readonly received: "a line of text for each such change";
  },
  {
    readonly id: "terminal";
    readonly to: "v1 client";
    readonly sent: "a terminal of the agent: bytes, colours, size, live output";
    readonly received: "its text as content of the tool call, whenever it doubled, and at its end or the end of the turn";
  },
  {
    readonly id: "content-kind";
    readonly to: "v1 client";
    readonly sent: "content of an unknown type in messages and tool calls, and the icons of a link";
    readonly received: "nothing";
  },
  {
    readonly id: "plan";
    readonly to: "v1 client";
    readonly sent: "several plans, their ids, plans without entries, entries that are `cancelled`, and entries of an unknown status or priority";
    readonly received: "one plan with the entries of all plans; unknown values become `pending` and `medium`";
  },
  {
    readonly id: "permission-text";
    readonly to: "v1 client";
    readonly sent: "the title and description of a permission request about a tool call";
    readonly received: "the tool call alone";
  },
  {
    readonly id: "permission-kind";
    readonly to: "v1 client";
    readonly sent: "a permission option of an unknown kind";
    readonly received: "`reject_once`, and the kind in `_meta`";
  },
  {
    readonly id: "update-kind";
    readonly to: "v1 client";
    readonly sent: "notices, compactions, boolean options and updates about subagents, to a client that did not ask for them; options and updates of unknown types";
    readonly received: "nothing";
  },
  {
    readonly id: "command-type";
    readonly to: "v1 client";
    readonly sent: "slash commands of unknown types";
    readonly received: "plain slash commands";
  },
  {
    readonly id: "sse";
    readonly to: "v2 agent";
    readonly sent: "an MCP server over SSE, or one that the agent cannot start";
    readonly received: "nothing; the client gets -32602";
  },
  {
    readonly id: "session-list";
    readonly to: "v2 client";
    readonly sent: "no `session/list`";
    readonly received: "an empty list";
  },
  {
    readonly id: "session-history";
    readonly to: "v2 client";
    readonly sent: "only `session/resume`, or only `session/load`";
    readonly received: "no replay, or a replay that is dropped; without both, -32002";
  },
  {
    readonly id: "session-close";
    readonly to: "v2 client";
    readonly sent: "no `session/close`";
    readonly received: "the turn is cancelled and the session forgotten; the agent keeps its memory";
  },
  {
    readonly id: "late-refusal";
    readonly to: "v2 client";
    readonly sent: "an error for a prompt that v2 has accepted already";
    readonly received: "an idle state with the stop reason `error`";
  },
  {
    readonly id: "message-id";
    readonly to: "v2 client";
    readonly sent: "chunks without a message id";
    readonly received: "an id for each run of chunks of one kind";
  },
  {
    readonly id: "user-chunks";
    readonly to: "v2 client";
    readonly sent: "the user's message, repeated in chunks during its turn";
    readonly received: "nothing; the whole message was sent when the turn started";
  },
  {
    readonly id: "empty-option";
    readonly to: "v2 client";
    readonly sent: "a select option or modes without any value";
    readonly received: "nothing";
  },
  {
    readonly id: "diff-lines";
    readonly to: "v2 client";
    readonly sent: "a diff of parts of a file";
    readonly received: "a patch whose line numbers count from that part; the texts are in `_meta`";
  },
  {
    readonly id: "files";
    readonly to: "v1 agent";
    readonly sent: "files and terminals of the client, and unsaved text";
    readonly received: "neither is offered; calling them gives -32601";
  },
  {
    readonly id: "logout";
    readonly to: "v2 client";
    readonly sent: "logins without `logout`";
    readonly received: "-32603 for `auth/logout`";
  },
  {
    readonly id: "client-terminal";
    readonly to: "v2 client";
    readonly sent: "a terminal of the client in the content of a tool call";
    readonly received: "nothing";
  },
];

export declare const V2_SCHEMA_VERSION = "2.4.0";

export interface VersionTranslator {
  fromClient(frame: JsonObject): TranslatedFrames;
  fromAgent(frame: JsonObject): TranslatedFrames;
  readonly losses: ReadonlyMap<V2LossId, number>;
}

export declare function isAnyUpdate(event: { readonly type: string }): event is AnyUpdate;

export declare function serveProxy(
  channel: Channel,
  definition: ProxyDefinition,
): Promise<CloseReason>;

export declare function translator({ client, agent }: TranslatorOptions): VersionTranslator;
