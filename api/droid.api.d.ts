// The public interface of `dragoman/droid`, written by `npm run docs`.

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

export type AskUserAnswer =
  | readonly string[]
  | readonly {
      readonly index: number;
      readonly answer: string;
    }[]
  | null;

export type AskUserHandler = (
  request: AskUserRequest,
  context: HandlerContext,
) => AskUserAnswer | Promise<AskUserAnswer>;

export interface AskUserRequest {
  readonly requestId: string;
  readonly toolCallId: string | undefined;
  readonly questions: readonly AskUserQuestion[];
}

export interface AsyncStream<T> extends AsyncIterator<T, undefined> {
  [Symbol.asyncIterator](): AsyncStream<T>;
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

export interface CommandInfo {
  readonly name: string;
  readonly description: string | undefined;
  readonly argumentHint: string | undefined;
  readonly isExecutable: boolean;
}

export interface CompactOptions extends WaitOptions {
  readonly instructions?: string | undefined;
}

export interface CompactResult {
  readonly newSessionId: string;
  readonly removedCount: number | undefined;
}

export type ConfirmationDetails =
  | {
      readonly kind: "exec";
      readonly fullCommand: string;
      readonly command: string | undefined;
      readonly extractedCommands: readonly string[];
      readonly impactLevel: ImpactLevel | undefined;
      readonly riskLevelReason: string | undefined;
    }
  | {
      readonly kind: "create";
      readonly filePath: string;
      readonly fileName: string | undefined;
      readonly content: string;
    }
  | {
      readonly kind: "edit";
      readonly filePath: string;
      readonly fileName: string | undefined;
      readonly oldContent: string;
      readonly newContent: string;
    }
  | {
      readonly kind: "apply_patch";
      readonly filePath: string;
      readonly patch: string;
      readonly files: readonly PatchedFile[];
    }
  | {
      readonly kind: "mcp_tool";
      readonly toolName: string;
      readonly serverName: string | undefined;
      readonly actualToolName: string | undefined;
      readonly impactLevel: ImpactLevel | undefined;
    }
  | {
      readonly kind: "exit_spec_mode";
      readonly plan: string;
      readonly title: string | undefined;
      readonly optionNames: readonly string[];
    }
  | {
      readonly kind: "unknown";
      readonly raw: JsonObject;
    };

export interface ContextUsage {
  readonly used: number;
  readonly size: number;
}

export declare class DragomanError extends Error {
  readonly name: string;
  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string, options?: ErrorOptions);
}

export declare class DroidBusyError extends DroidError {
  readonly name = "DroidBusyError";
  readonly sessionId: string;
  constructor(sessionId: string);
}

export declare class DroidClient {
  private constructor();
  static prepare(options?: DroidProcessOptions): Promise<PreparedDroid>;
  static start(options?: DroidProcessOptions & NewDroidSessionOptions): Promise<DroidClient>;
  static load(
    sessionId: string,
    options?: DroidProcessOptions & DroidSessionOptions,
  ): Promise<DroidClient>;
  static list(options?: ListOptions): Promise<readonly SessionSummary[]>;
  static delete(sessionId: string, options?: SessionFilesOptions): Promise<readonly string[]>;
  get sessionId(): string;
  get info(): DroidSessionInfo;
  get history(): readonly HistoryTurn[];
  get settings(): DroidSettings;
  get models(): readonly ModelInfo[];
  get title(): string | undefined;
  get usage(): TokenUsage | undefined;
  get credits(): number | undefined;
  get workingState(): WorkingState;
  get version(): DroidVersion;
  get tested(): TestedRange;
  get ignored(): readonly IgnoredSetting[];
  get mcpServers(): readonly McpServerReport[];
  get pid(): number | undefined;
  get state(): LifecycleState;
  get closed(): Promise<CloseReason>;
  prompt(input: DroidPrompt, options?: DroidPromptOptions): DroidTurn;
  answerCheck(schema: JsonObject): AnswerCheck<DroidPromptOptions, DroidTurnResult> | undefined;
  cancel({ signal }?: WaitOptions): Promise<void>;
  updates(): AsyncStream<DroidEvent>;
  onEvent(listener: DroidEventListener): () => void;
  updateSettings(change: SettingsChange, options?: WaitOptions): Promise<SettingsReport>;
  fork({ title, signal }?: ForkOptions): Promise<string>;
  rename(title: string, options?: WaitOptions): Promise<void>;
  compact({ instructions, signal }?: CompactOptions): Promise<CompactResult>;
  rewindInfo(messageId: string, options?: WaitOptions): Promise<RewindInfo>;
  rewind(messageId: string, options?: RewindOptions): Promise<RewindResult>;
  switchTo(sessionId: string, options?: DroidSessionOptions): Promise<DroidSessionInfo>;
  listModels(options?: WaitOptions): Promise<readonly ModelInfo[]>;
  listTools(options?: WaitOptions): Promise<readonly ToolInfo[]>;
  listCommands(options?: WaitOptions): Promise<readonly CommandInfo[]>;
  listSkills(options?: WaitOptions): Promise<readonly SkillInfo[]>;
  contextUsage(options?: WaitOptions): Promise<ContextUsage | undefined>;
  refreshMcpServers(options?: WaitOptions): Promise<readonly McpServerReport[]>;
  request<M extends MethodName>(
    method: M,
    params: MethodParams<M>,
    options?: WaitOptions,
  ): Promise<MethodResult<M>>;
  request(
    method: `droid.${string}`,
    params?: JsonObject,
    options?: WaitOptions,
  ): Promise<JsonObject>;
  close(options?: WaitOptions): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export declare class DroidError extends DragomanError {
  readonly name: string;
}

export type DroidEvent =
  | TextEvent
  | ThinkingEvent
  | ToolCallEvent
  | ToolProgressEvent
  | ToolResultEvent
  | PlanEvent
  | StateEvent
  | PermissionResolvedEvent
  | StructuredOutputEvent
  | UsageEvent
  | TitleEvent
  | SettingsEvent
  | McpEvent
  | NoticeEvent
  | RetractedEvent
  | ErrorEvent
  | UnknownEvent;

export type DroidEventListener = (event: DroidEvent, turnId: string | undefined) => void;

export declare class DroidExitedError extends DroidError {
  readonly name = "DroidExitedError";
  readonly reason: CloseReason;
  readonly exit: ExitStatus | undefined;
  readonly stderr: string;
  readonly during: string;
  constructor(reason: CloseReason, during: string);
}

export interface DroidFailure {
  readonly reason: FailureReason;
  readonly message: string;
  readonly name: string | undefined;
  readonly status: number | undefined;
}

export interface DroidHooks {
  readonly onTurnStart?: ((info: TurnStartInfo) => void) | undefined;
  readonly onTurnEnd?: ((info: TurnEndInfo) => void) | undefined;
  readonly onToolStart?: ((info: ToolStartInfo) => void) | undefined;
  readonly onToolEnd?: ((info: ToolEndInfo) => void) | undefined;
}

export type DroidMcpServer =
  | {
      readonly type?: "stdio" | undefined;
      readonly name: string;
      readonly command: string;
      readonly args?: readonly string[] | undefined;
      readonly env?: Readonly<Record<string, string>> | undefined;
    }
  | {
      readonly type: "http" | "sse";
      readonly name: string;
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>> | undefined;
    };

export declare class DroidNotFoundError extends DroidError {
  readonly name = "DroidNotFoundError";
  readonly tried: readonly string[];
  constructor(tried: readonly string[]);
}

export type DroidPermissionAnswer =
  | PermissionDecision
  | DroidPermissionOptionValue
  | {
      readonly option: DroidPermissionOptionValue;
      readonly comment?: string | undefined;
    };

export type DroidPermissionHandler = (
  request: DroidPermissionRequest,
  context: HandlerContext,
) => DroidPermissionAnswer | Promise<DroidPermissionAnswer>;

export interface DroidPermissionRequest {
  readonly requestId: string;
  readonly toolUses: readonly PermissionToolUse[];
  readonly options: readonly DroidPermissionOption[];
  readonly raw: JsonObject;
}

export interface DroidProcessOptions extends SessionHandlers, WaitOptions {
  readonly executable?: string | undefined;
  readonly cwd?: string | undefined;
  readonly env?: EnvOverlay | undefined;
  readonly apiKey?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly tap?: Tap | undefined;
  readonly stages?: Overrides<EndStages> | undefined;
}

export type DroidPrompt = AnswerPrompt<PromptInput>;

export interface DroidPromptOptions {
  readonly messageId?: string | undefined;
  readonly outputSchema?: JsonObject | undefined;
  readonly onPermission?: DroidPermissionHandler | undefined;
  readonly onAskUser?: AskUserHandler | undefined;
  readonly whenBusy?: "reject" | "wait" | undefined;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export declare class DroidRequestError extends DroidError {
  readonly name = "DroidRequestError";
  readonly method: string;
  readonly rpcCode: number;
  readonly data: unknown;
  constructor(
    method: string,
    error: {
      readonly rpcCode: number;
      readonly message: string;
      readonly data?: unknown;
    },
  );
}

export interface DroidRunOptions
  extends DroidProcessOptions, NewDroidSessionOptions, Omit<DroidPromptOptions, "whenBusy"> {
  readonly resume?: string | undefined;
  readonly onEvent?: DroidEventListener | undefined;
}

export interface DroidSessionInfo {
  readonly sessionId: string;
  readonly messages: readonly DroidMessage[];
  readonly settings: DroidSettings;
  readonly models: readonly ModelInfo[];
  readonly title: string | undefined;
  readonly cwd: string | undefined;
  readonly hostId: string | undefined;
  readonly gitRepo: GitRepo | undefined;
  readonly isAgentLoopInProgress: boolean;
  readonly workingState: WorkingState | undefined;
  readonly hasOlderMessages: boolean;
  readonly usage: TokenUsage | undefined;
  readonly credits: number | undefined;
  readonly raw: JsonObject;
}

export interface DroidSessionOptions extends SettingsChange, WaitOptions {
  readonly mcpServers?: readonly (DroidMcpServer | ToolServer)[] | undefined;
}

export interface DroidSettings {
  readonly model: string | undefined;
  readonly reasoningEffort: ReasoningEffort | undefined;
  readonly autonomy: Autonomy | undefined;
  readonly interactionMode: InteractionMode | undefined;
  readonly specModel: string | undefined;
  readonly specReasoningEffort: ReasoningEffort | undefined;
  readonly availableAutonomyLevels: readonly Autonomy[];
  readonly raw: JsonObject;
}

export type DroidStopReason =
  | "completed"
  | "cancelled"
  | "discarded"
  | "process_exit"
  | FailureReason;

export interface DroidTurn extends AsyncIterable<DroidEvent> {
  readonly id: string;
  readonly result: Promise<DroidTurnResult>;
  readonly dropped: number;
  cancel(options?: WaitOptions): Promise<void>;
  text(): Promise<string>;
}

export interface DroidTurnResult {
  readonly messageId: string;
  readonly stopReason: DroidStopReason;
  readonly text: string;
  readonly finalMessage: string;
  readonly failure: DroidFailure | undefined;
  readonly usage: TokenUsage | undefined;
  readonly credits: number | undefined;
  readonly sessionUsage: TokenUsage | undefined;
  readonly structuredOutput: unknown;
  readonly sessionId: string;
}

export interface DroidVersion {
  readonly cli: string | undefined;
  readonly protocol: string | undefined;
}

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

export interface ForkOptions extends WaitOptions {
  readonly title?: string | undefined;
}

export interface HistoryTurn {
  readonly prompt: HistoryPrompt | undefined;
  readonly steps: readonly HistoryStep[];
  readonly interrupted: boolean;
}

export interface IgnoredSetting {
  readonly setting: ComparedSetting;
  readonly requested: string;
  readonly actual: string | undefined;
  readonly kind: "ignored" | "unlisted";
}

export type JsonObject = {
  readonly [key: string]: unknown;
};

export type LifecycleState = "open" | "closing" | "closed";

export interface ListModelsOptions extends DroidProcessOptions {
  readonly includeDisabled?: boolean | undefined;
}

export interface ListOptions extends SessionFilesOptions {
  readonly cwd?: string | undefined;
  readonly tag?: string | undefined;
}

export interface Logger {
  readonly debug?: ((message: string, fields?: LogFields) => void) | undefined;
  readonly info?: ((message: string, fields?: LogFields) => void) | undefined;
  readonly warn?: ((message: string, fields?: LogFields) => void) | undefined;
  readonly error?: ((message: string, fields?: LogFields) => void) | undefined;
}

export interface McpServerReport {
  readonly name: string;
  readonly status: "connected" | "failed" | "unsupported";
  readonly tools: readonly string[];
}

export type MethodName = keyof typeof METHODS;

export type MethodParams<M extends MethodName> =
  (typeof METHODS)[M] extends MethodSpec<infer Params, unknown> ? Params : never;

export type MethodResult<M extends MethodName> = ReturnType<(typeof METHODS)[M]["read"]>;

export interface ModelInfo {
  readonly id: string;
  readonly displayName: string;
  readonly shortDisplayName: string | undefined;
  readonly provider: string | undefined;
  readonly supportedReasoningEfforts: readonly string[];
  readonly defaultReasoningEffort: string | undefined;
  readonly isCustom: boolean;
  readonly supportsImages: boolean;
  readonly supportsPdfs: boolean;
  readonly isDeprecated: boolean;
  readonly raw: JsonObject;
}

export interface NewDroidSessionOptions extends DroidSessionOptions {
  readonly sessionId?: string | undefined;
  readonly machineId?: string | undefined;
  readonly systemPrompt?: DroidSystemPrompt | undefined;
  readonly tags?: readonly (string | DroidTag)[] | undefined;
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

export type PreparedDroid = PreparedProcess<DroidClient>;

export interface PreparedProcess<Client> extends AsyncDisposable {
  readonly closed: Promise<CloseReason>;
  start(options?: NewDroidSessionOptions & SessionHandlers): Promise<Client>;
  load(sessionId: string, options?: DroidSessionOptions & SessionHandlers): Promise<Client>;
  close(): Promise<void>;
}

export interface PromptInput {
  readonly text: string;
  readonly images?: readonly PromptImage[] | undefined;
  readonly files?: readonly PromptFile[] | undefined;
}

export interface RewindInfo {
  readonly availableFiles: readonly RewindFile[];
  readonly createdFiles: readonly RewindFile[];
  readonly evictedFiles: readonly RewindFile[];
}

export interface RewindOptions extends WaitOptions {
  readonly restore?: readonly RewindFile[] | undefined;
  readonly remove?: readonly RewindFile[] | undefined;
  readonly title?: string | undefined;
}

export interface RewindResult {
  readonly newSessionId: string;
  readonly restoredCount: number | undefined;
  readonly deletedCount: number | undefined;
  readonly failedRestoreCount: number | undefined;
  readonly failedDeleteCount: number | undefined;
}

export declare class SchemaError extends DragomanError {
  readonly name = "SchemaError";
  constructor(message: string, options?: ErrorOptions);
}

export interface SessionFilesOptions extends WaitOptions {
  readonly home?: string | undefined;
}

export interface SessionHandlers {
  readonly onPermission?: DroidPermissionHandler | undefined;
  readonly onAskUser?: AskUserHandler | undefined;
  readonly logger?: Logger | undefined;
  readonly hooks?: DroidHooks | undefined;
}

export interface SessionSummary {
  readonly sessionId: string;
  readonly cwd: string | undefined;
  readonly title: string | undefined;
  readonly updatedAt: Date;
  readonly parentId: string | undefined;
  readonly path: string;
}

export interface SettingsChange extends ToolSelection {
  readonly model?: string | undefined;
  readonly reasoningEffort?: ReasoningEffort | undefined;
  readonly autonomy?: Autonomy | undefined;
  readonly interactionMode?: InteractionMode | undefined;
  readonly specModel?: string | undefined;
  readonly specReasoningEffort?: ReasoningEffort | undefined;
}

export interface SettingsReport {
  readonly settings: DroidSettings;
  readonly ignored: readonly IgnoredSetting[];
}

export interface SkillInfo {
  readonly name: string;
  readonly description: string | undefined;
  readonly location: string | undefined;
  readonly filePath: string | undefined;
  readonly isEnabled: boolean;
  readonly isUserInvocable: boolean;
}

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

export type StickyScope = "session" | "agent" | "off";

export declare const TESTED_VERSIONS: readonly ["0.99.0", "0.117.0", "0.215.0", "0.225.2"];

export type Tap = (event: TapEvent) => void;

export type TestedRange = "tested" | "inside" | "newer" | "older" | "unknown";

export interface TokenUsage {
  readonly totalTokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly thoughtTokens?: number | null | undefined;
  readonly cachedReadTokens?: number | null | undefined;
  readonly cachedWriteTokens?: number | null | undefined;
  readonly _meta?: Meta | null | undefined;
}

export interface ToolInfo {
  readonly id: string;
  readonly llmId: string | undefined;
  readonly displayName: string | undefined;
  readonly description: string | undefined;
  readonly category: string | undefined;
  readonly isAllowedByDefault: boolean;
  readonly isAllowed: boolean;
}

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

export declare class TurnIncompleteError<
  Result extends AnswerResult = AnswerResult,
> extends DragomanError {
  readonly name = "TurnIncompleteError";
  readonly result: Result;
  constructor(result: Result);
}

export interface TypedAnswer<T, Result> {
  readonly value: T;
  readonly text: string;
  readonly attempts: number;
  readonly result: Result;
}

export declare class UnsupportedByDroidError extends DroidError {
  readonly name = "UnsupportedByDroidError";
  readonly feature: string;
  readonly version: DroidVersion;
  constructor(feature: string, version: DroidVersion, options?: ErrorOptions);
}

export interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
}

export type WorkingState =
  | "idle"
  | "streaming_assistant_message"
  | "thinking"
  | "executing_tool"
  | "waiting_for_tool_confirmation"
  | "compacting_conversation"
  | (string & {});

export declare function combinedHooks(...all: readonly DroidHooks[]): DroidHooks;

export declare function findExecutable(
  options?: Pick<DroidProcessOptions, "executable" | "env">,
): Promise<string>;

export declare function listModels(options?: ListModelsOptions): Promise<readonly ModelInfo[]>;

export declare function openTelemetryHooks<Context, Span extends OpenTelemetrySpan>(
  api: OpenTelemetryApi<Context, Span>,
): DroidHooks;

export declare function readVersion(
  executable: string,
  { env }?: Pick<DroidProcessOptions, "env">,
): Promise<string | undefined>;

export declare function run<const S extends AnswerSchema>(
  prompt: DroidPrompt,
  options: DroidRunOptions & AnswerOptions<S>,
): Promise<TypedAnswer<AnswerOf<S>, DroidTurnResult>>;

export declare function run(
  prompt: DroidPrompt,
  options?: DroidRunOptions,
): Promise<DroidTurnResult>;

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

declare const METHODS: {
  readonly listModels: MethodSpec<Readonly<Record<string, never>>, readonly ModelInfo[]>;
  readonly listTools: MethodSpec<Readonly<Record<string, never>>, readonly ToolInfo[]>;
  readonly listCommands: MethodSpec<Readonly<Record<string, never>>, readonly CommandInfo[]>;
  readonly listSkills: MethodSpec<Readonly<Record<string, never>>, readonly SkillInfo[]>;
  readonly contextUsage: MethodSpec<Readonly<Record<string, never>>, ContextUsage | undefined>;
  readonly contextBreakdown: MethodSpec<Readonly<Record<string, never>>, ContextBreakdown>;
  readonly fork: MethodSpec<
    {
      readonly title?: string | undefined;
    },
    string
  >;
  readonly rename: MethodSpec<
    {
      readonly title: string;
    },
    boolean
  >;
  readonly compact: MethodSpec<
    {
      readonly customInstructions?: string | undefined;
    },
    CompactResult
  >;
  readonly rewindInfo: MethodSpec<
    {
      readonly sessionId: string;
      readonly messageId: string;
    },
    RewindInfo
  >;
  readonly rewind: MethodSpec<RewindRequest, RewindResult>;
  readonly changeDirectory: MethodSpec<
    {
      readonly workingDirectory: string;
    },
    void
  >;
  readonly appendMessages: MethodSpec<
    {
      readonly messages: readonly JsonObject[];
    },
    void
  >;
  readonly resolveQueuedMessage: MethodSpec<
    {
      readonly requestId: string;
      readonly action: "delete" | "update_queue";
      readonly queuePlacement?: string | undefined;
    },
    void
  >;
  readonly setSkillDisabled: MethodSpec<JsonObject, void>;
  readonly closeWorker: MethodSpec<
    {
      readonly workerSessionId: string;
    },
    void
  >;
  readonly listMcpServers: MethodSpec<Readonly<Record<string, never>>, readonly McpServerStatus[]>;
  readonly listMcpTools: MethodSpec<Readonly<Record<string, never>>, readonly McpToolInfo[]>;
  readonly listMcpRegistry: MethodSpec<Readonly<Record<string, never>>, JsonObject>;
  readonly addMcpServer: MethodSpec<JsonObject, void>;
  readonly removeMcpServer: MethodSpec<ServerAndLevel, void>;
  readonly toggleMcpServer: MethodSpec<ServerAndLevel & JsonObject, void>;
  readonly toggleMcpTool: MethodSpec<ServerAndLevel & JsonObject, void>;
  readonly authenticateMcpServer: MethodSpec<
    {
      readonly serverName: string;
    },
    JsonObject
  >;
  readonly cancelMcpAuth: MethodSpec<
    {
      readonly serverName: string;
    },
    void
  >;
  readonly clearMcpAuth: MethodSpec<
    {
      readonly serverName: string;
    },
    void
  >;
  readonly submitMcpAuthCode: MethodSpec<
    {
      readonly serverName: string;
      readonly code: string;
      readonly state: string;
    },
    void
  >;
};
