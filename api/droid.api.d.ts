// The public interface of `dragoman/droid`, written by `npm run docs`.

export declare class AnswerMismatchError extends DragomanError {
  readonly name = "AnswerMismatchError";
  readonly faults: readonly string[];
  readonly answer: string;
  readonly attempts: number;
  constructor(faults: readonly string[], answer: string, attempts: number);
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

export interface AskUserQuestion {
  readonly index: number;
  readonly topic: string | undefined;
  readonly question: string;
  readonly options: readonly string[];
  readonly raw: JsonObject;
}

export interface AskUserRequest {
  readonly requestId: string;
  readonly toolCallId: string | undefined;
  readonly questions: readonly AskUserQuestion[];
}

export type Autonomy = "off" | "low" | "medium" | "high";

export interface CommandInfo {
  readonly name: string;
  readonly description: string | undefined;
  readonly argumentHint: string | undefined;
  readonly isExecutable: boolean;
}

export interface CompactResult {
  readonly newSessionId: string;
  readonly removedCount: number | undefined;
}

export type ComparedSetting = Exclude<keyof SettingsChange, keyof ToolSelection>;

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

export interface ContextBreakdown {
  readonly modelId: string | undefined;
  readonly contextBudget: number | undefined;
  readonly usedTokens: number | undefined;
  readonly freeTokens: number | undefined;
  readonly categories: readonly {
    readonly name: string;
    readonly tokens: number;
  }[];
  readonly raw: JsonObject;
}

export interface ContextStats {
  readonly used: number;
  readonly remaining: number;
  readonly limit: number;
  readonly accuracy: string | undefined;
  readonly updatedAt: string | undefined;
}

export declare class DragomanError extends Error {
  readonly name: string;
  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string, options?: ErrorOptions);
}

export type DroidAnswer<T> = TypedAnswer<T, DroidTurnResult>;

export interface DroidAnswerOptions<S extends AnswerSchema = AnswerSchema>
  extends AnswerOptions<S>, Omit<DroidPromptOptions, "outputSchema"> {}

export declare class DroidBusyError extends DroidError {
  readonly name = "DroidBusyError";
  readonly sessionId: string;
  constructor(sessionId: string);
}

export declare class DroidClient {
  private constructor();
  static prepare(options?: DroidProcessOptions, wait?: WaitOptions): Promise<PreparedDroid>;
  static start(
    options?: DroidProcessOptions & NewDroidSessionOptions,
    wait?: WaitOptions,
  ): Promise<DroidClient>;
  static load(
    sessionId: string,
    options?: DroidProcessOptions & DroidSessionOptions,
    wait?: WaitOptions,
  ): Promise<DroidClient>;
  static list(options?: ListOptions, wait?: WaitOptions): Promise<readonly SessionSummary[]>;
  static delete(
    sessionId: string,
    options?: SessionFilesOptions,
    wait?: WaitOptions,
  ): Promise<readonly string[]>;
  get sessionId(): string;
  get info(): DroidSessionInfo;
  get history(): readonly HistoryTurn[];
  get settings(): DroidSettings;
  get models(): readonly ModelInfo[];
  get title(): string | undefined;
  get usage(): TokenUsage | undefined;
  get workingState(): WorkingState;
  get version(): DroidVersion;
  get tested(): TestedRange;
  get ignored(): readonly IgnoredSetting[];
  get mcpServers(): readonly McpServerReport[];
  get pid(): number | undefined;
  get state(): LifecycleState;
  get closed(): Promise<CloseReason>;
  prompt(input: string | PromptInput, options?: DroidPromptOptions): DroidTurn;
  interrupt(wait?: WaitOptions): Promise<void>;
  updates(): AsyncStream<DroidEvent>;
  onEvent(listener: DroidEventListener): () => void;
  updateSettings(change: SettingsChange, wait?: WaitOptions): Promise<SettingsReport>;
  fork(title?: string, wait?: WaitOptions): Promise<string>;
  rename(title: string, wait?: WaitOptions): Promise<void>;
  compact(customInstructions?: string, wait?: WaitOptions): Promise<CompactResult>;
  rewindInfo(messageId: string, wait?: WaitOptions): Promise<RewindInfo>;
  rewind(messageId: string, options?: RewindOptions, wait?: WaitOptions): Promise<RewindResult>;
  switchTo(
    sessionId: string,
    options?: DroidSessionOptions,
    wait?: WaitOptions,
  ): Promise<DroidSessionInfo>;
  listModels(wait?: WaitOptions): Promise<readonly ModelInfo[]>;
  listTools(wait?: WaitOptions): Promise<readonly ToolInfo[]>;
  listCommands(wait?: WaitOptions): Promise<readonly CommandInfo[]>;
  listSkills(wait?: WaitOptions): Promise<readonly SkillInfo[]>;
  contextStats(wait?: WaitOptions): Promise<ContextStats>;
  refreshMcpServers(wait?: WaitOptions): Promise<readonly McpServerReport[]>;
  request<M extends MethodName>(
    method: M,
    params: MethodParams<M>,
    wait?: WaitOptions,
  ): Promise<MethodResult<M>>;
  request(method: `droid.${string}`, params?: JsonObject, wait?: WaitOptions): Promise<JsonObject>;
  close(wait?: WaitOptions): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export type DroidContentBlock =
  | {
      readonly type: "text";
      readonly text: string;
    }
  | {
      readonly type: "thinking";
      readonly text: string;
      readonly durationMs: number | undefined;
    }
  | {
      readonly type: "tool_use";
      readonly toolUse: ToolUse;
    }
  | {
      readonly type: "tool_result";
      readonly toolUseId: string;
      readonly content: string;
      readonly isError: boolean;
    }
  | {
      readonly type: "image";
      readonly mediaType: string | undefined;
      readonly data: string;
    }
  | {
      readonly type: "document";
      readonly name: string | undefined;
      readonly mediaType: string | undefined;
      readonly raw: JsonObject;
    }
  | {
      readonly type: "unknown";
      readonly raw: JsonObject;
    };

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

export interface DroidMessage {
  readonly id: string;
  readonly role: DroidRole;
  readonly visibility: Visibility;
  readonly content: readonly DroidContentBlock[];
  readonly createdAt: number | undefined;
  readonly parentId: string | undefined;
  readonly modelId: string | undefined;
}

export declare class DroidNotFoundError extends DroidError {
  readonly name = "DroidNotFoundError";
  readonly tried: readonly string[];
  constructor(tried: readonly string[]);
}

export type DroidPermissionAnswer =
  | DroidPermissionOptionValue
  | {
      readonly option: DroidPermissionOptionValue;
      readonly comment?: string | undefined;
    };

export type DroidPermissionHandler = (
  request: DroidPermissionRequest,
  context: HandlerContext,
) => DroidPermissionAnswer | Promise<DroidPermissionAnswer>;

export interface DroidPermissionOption {
  readonly value: DroidPermissionOptionValue;
  readonly label: string;
}

export type DroidPermissionOptionValue =
  | "proceed_once"
  | "proceed_always"
  | "proceed_always_tools"
  | "proceed_always_server"
  | "proceed_auto_run_low"
  | "proceed_auto_run_medium"
  | "proceed_auto_run_high"
  | "proceed_new_session"
  | "proceed_new_session_low"
  | "proceed_new_session_medium"
  | "proceed_new_session_high"
  | "cancel"
  | (string & {});

export interface DroidPermissionRequest {
  readonly requestId: string;
  readonly toolUses: readonly PermissionToolUse[];
  readonly options: readonly DroidPermissionOption[];
  readonly raw: JsonObject;
}

export interface DroidPlanEntry {
  readonly text: string;
  readonly status: DroidPlanStatus;
  readonly priority: string | undefined;
}

export type DroidPlanStatus = "pending" | "in_progress" | "completed" | (string & {});

export interface DroidProcessOptions extends SessionHandlers {
  readonly executable?: string | undefined;
  readonly cwd?: string | undefined;
  readonly env?: EnvOverlay | undefined;
  readonly apiKey?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly tap?: Tap | undefined;
  readonly stages?: Overrides<EndStages> | undefined;
}

export interface DroidPromptOptions {
  readonly messageId?: string | undefined;
  readonly outputSchema?: JsonObject | undefined;
  readonly onPermission?: DroidPermissionHandler | undefined;
  readonly onAskUser?: AskUserHandler | undefined;
  readonly whenBusy?: "throw" | "wait" | undefined;
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

export type DroidRole = "user" | "assistant" | "system" | "tool" | (string & {});

export interface DroidRunAnswer<T> extends DroidRunResult {
  readonly value: T;
  readonly attempts: number;
}

export interface DroidRunOptions
  extends DroidProcessOptions, NewDroidSessionOptions, Omit<DroidPromptOptions, "whenBusy"> {
  readonly resume?: string | undefined;
  readonly onEvent?: DroidEventListener | undefined;
}

export interface DroidRunResult extends DroidTurnResult {
  readonly text: string;
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
  readonly raw: JsonObject;
}

export interface DroidSessionOptions extends SettingsChange {
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

export type DroidSystemPrompt =
  | string
  | {
      readonly append: string;
    };

export interface DroidTag {
  readonly name: string;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

export interface DroidTurn extends AsyncIterable<DroidEvent> {
  readonly id: string;
  readonly result: Promise<DroidTurnResult>;
  readonly dropped: number;
  cancel(): Promise<void>;
  text(): Promise<string>;
}

export declare class DroidTurnError extends DroidError {
  readonly name = "DroidTurnError";
  readonly result: DroidTurnResult;
  constructor(result: DroidTurnResult);
}

export interface DroidTurnResult {
  readonly messageId: string;
  readonly stopReason: DroidStopReason;
  readonly failure: DroidFailure | undefined;
  readonly usage: TokenUsage | undefined;
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

export interface ErrorEvent {
  readonly type: "error";
  readonly failure: DroidFailure;
}

export type FailureReason =
  | "authentication"
  | "rate_limit"
  | "usage_exhausted"
  | "rejected"
  | "moderation"
  | "unavailable"
  | "error";

export interface GitRepo {
  readonly owner: string | undefined;
  readonly repoName: string | undefined;
}

export interface HandlerContext {
  readonly signal: AbortSignal;
}

export interface HistoryPrompt {
  readonly messageId: string;
  readonly text: string;
  readonly images: readonly {
    readonly mediaType: string | undefined;
    readonly data: string;
  }[];
  readonly files: readonly {
    readonly name: string | undefined;
    readonly mediaType: string | undefined;
  }[];
}

export interface HistoryResult {
  readonly messageId: string;
  readonly content: string;
  readonly isError: boolean;
}

export type HistoryStep =
  | {
      readonly type: "text";
      readonly messageId: string;
      readonly text: string;
    }
  | {
      readonly type: "thinking";
      readonly messageId: string;
      readonly text: string;
    }
  | {
      readonly type: "tool_call";
      readonly messageId: string;
      readonly toolUse: ToolUse;
      readonly result: HistoryResult | undefined;
      readonly dangling: boolean;
    }
  | {
      readonly type: "notice";
      readonly messageId: string;
      readonly text: string;
    };

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

export type ImpactLevel = "low" | "medium" | "high" | (string & {});

export type InteractionMode = "auto" | "spec" | "agi" | "mission";

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

export type McpEvent =
  | {
      readonly type: "mcp";
      readonly kind: "status";
      readonly servers: readonly McpServerStatus[];
    }
  | {
      readonly type: "mcp";
      readonly kind: "auth_required";
      readonly server: string;
      readonly url: string | undefined;
      readonly message: string | undefined;
    }
  | {
      readonly type: "mcp";
      readonly kind: "auth_completed";
      readonly server: string;
      readonly raw: JsonObject;
    };

export interface McpServerReport {
  readonly name: string;
  readonly status: "connected" | "failed" | "unsupported";
  readonly tools: readonly string[];
}

export type McpServerState = "connecting" | "connected" | "failed" | "disabled" | (string & {});

export interface McpServerStatus {
  readonly name: string;
  readonly status: McpServerState;
  readonly source: string | undefined;
  readonly serverType: string | undefined;
  readonly isManaged: boolean;
  readonly error: string | undefined;
  readonly raw: JsonObject;
}

export interface McpToolInfo {
  readonly serverName: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly isEnabled: boolean;
}

export type MethodName = keyof typeof METHODS;

export type MethodParams<M extends MethodName> =
  (typeof METHODS)[M] extends MethodSpec<infer Params, unknown> ? Params : never;

export type MethodResult<M extends MethodName> = ReturnType<(typeof METHODS)[M]["read"]>;

export interface MethodSpec<Params, Result> {
  readonly name: string;
  readonly read: (result: JsonObject) => Result;
  readonly params?: Params | undefined;
}

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
  readonly deprecated: boolean;
  readonly raw: JsonObject;
}

export interface NewDroidSessionOptions extends DroidSessionOptions {
  readonly sessionId?: string | undefined;
  readonly machineId?: string | undefined;
  readonly systemPrompt?: DroidSystemPrompt | undefined;
  readonly tags?: readonly (string | DroidTag)[] | undefined;
}

export type NoticeEvent =
  | {
      readonly type: "notice";
      readonly kind: "retry";
      readonly attempt: number | undefined;
      readonly reason: string | undefined;
    }
  | {
      readonly type: "notice";
      readonly kind: "compaction";
      readonly removedCount: number | undefined;
      readonly summaryId: string | undefined;
    }
  | {
      readonly type: "notice";
      readonly kind: "hook";
      readonly stage: "started" | "completed";
      readonly hookId: string;
      readonly event: string;
      readonly toolId: string | undefined;
      readonly raw: JsonObject;
    }
  | {
      readonly type: "notice";
      readonly kind: "discarded";
      readonly text: string;
      readonly requestId: string | undefined;
    }
  | {
      readonly type: "notice";
      readonly kind: "message";
      readonly messageId: string;
      readonly text: string;
    }
  | {
      readonly type: "notice";
      readonly kind: "session";
      readonly sessionId: string;
    }
  | {
      readonly type: "notice";
      readonly kind: "events_dropped";
      readonly count: number;
    };

export interface OpenTelemetryApi<Context, Span extends OpenTelemetrySpan> {
  readonly trace: {
    getTracer(name: string): {
      startSpan(
        name: string,
        options: {
          kind: number;
          attributes: Record<string, string>;
        },
        context: Context,
      ): Span;
    };
    setSpan(context: Context, span: Span): Context;
  };
  readonly context: {
    active(): Context;
  };
}

export interface OpenTelemetrySpan {
  setAttributes(attributes: Record<string, string | number | string[]>): unknown;
  setStatus(status: { code: number; message?: string | undefined }): unknown;
  end(): void;
}

export interface PatchedFile {
  readonly filePath: string;
  readonly operation: string | undefined;
  readonly oldContent: string | undefined;
  readonly newContent: string | undefined;
}

export interface PermissionResolvedEvent {
  readonly type: "permission_resolved";
  readonly requestId: string;
  readonly toolIds: readonly string[];
  readonly option: string;
}

export interface PermissionToolUse {
  readonly toolUse: ToolUse;
  readonly confirmationType: string;
  readonly details: ConfirmationDetails;
}

export interface PlanEvent {
  readonly type: "plan";
  readonly toolId: string;
  readonly entries: readonly DroidPlanEntry[];
}

export type PreparedDroid = PreparedProcess<DroidClient>;

export interface PreparedProcess<Client> extends AsyncDisposable {
  readonly closed: Promise<CloseReason>;
  start(
    options?: NewDroidSessionOptions,
    handlers?: SessionHandlers,
    wait?: WaitOptions,
  ): Promise<Client>;
  load(
    sessionId: string,
    options?: DroidSessionOptions,
    handlers?: SessionHandlers,
    wait?: WaitOptions,
  ): Promise<Client>;
  close(): Promise<void>;
}

export type PromptFile =
  | {
      readonly name: string;
      readonly text: string;
      readonly mediaType?: string | undefined;
    }
  | {
      readonly name: string;
      readonly data: string;
      readonly mediaType: string;
    };

export interface PromptImage {
  readonly data: string;
  readonly mediaType: string;
}

export interface PromptInput {
  readonly text: string;
  readonly images?: readonly PromptImage[] | undefined;
  readonly files?: readonly PromptFile[] | undefined;
}

export type ReasoningEffort =
  | "none"
  | "dynamic"
  | "off"
  | "minimal"
  | "low"
  | "medium"
  | "high"
  | "xhigh"
  | "max"
  | (string & {});

export interface RetractedEvent {
  readonly type: "retracted";
  readonly messageId: string;
}

export interface RewindFile extends JsonObject {
  readonly filePath: string;
}

export interface RewindInfo {
  readonly availableFiles: readonly RewindFile[];
  readonly createdFiles: readonly RewindFile[];
  readonly evictedFiles: readonly RewindFile[];
}

export interface RewindOptions {
  readonly restore?: readonly RewindFile[] | undefined;
  readonly remove?: readonly RewindFile[] | undefined;
  readonly title?: string | undefined;
}

export interface RewindRequest {
  readonly sessionId: string;
  readonly messageId: string;
  readonly filesToRestore: readonly RewindFile[];
  readonly filesToDelete: readonly RewindFile[];
  readonly forkTitle: string;
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

export interface ServerAndLevel {
  readonly serverName: string;
  readonly settingsLevel?: string | undefined;
}

export interface SessionFilesOptions {
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

export interface SettingsEvent {
  readonly type: "settings";
  readonly settings: DroidSettings;
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
  readonly enabled: boolean;
  readonly userInvocable: boolean;
}

export interface StateEvent {
  readonly type: "state";
  readonly state: WorkingState;
}

export interface StructuredOutputEvent {
  readonly type: "structured_output";
  readonly messageId: string | undefined;
  readonly value: unknown;
}

export declare const TESTED_VERSIONS: readonly ["0.99.0", "0.117.0", "0.215.0", "0.225.2"];

export type TestedRange = "tested" | "inside" | "newer" | "older" | "unknown";

export interface TextEvent {
  readonly type: "text";
  readonly messageId: string;
  readonly blockIndex: number;
  readonly text: string;
}

export interface ThinkingEvent {
  readonly type: "thinking";
  readonly messageId: string;
  readonly blockIndex: number;
  readonly text: string;
}

export interface TitleEvent {
  readonly type: "title";
  readonly title: string;
  readonly source: string | undefined;
}

export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheCreationTokens: number;
  readonly cacheReadTokens: number;
  readonly thinkingTokens: number;
  readonly factoryCredits: number | undefined;
}

export interface ToolCallEvent {
  readonly type: "tool_call";
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  readonly complete: boolean;
  readonly phase: "queued" | "executing" | undefined;
  readonly messageId: string | undefined;
}

export interface ToolEndInfo extends ToolStartInfo {
  readonly outcome: "ok" | "failed" | "unfinished";
  readonly durationMs: number;
}

export interface ToolInfo {
  readonly id: string;
  readonly llmId: string | undefined;
  readonly displayName: string | undefined;
  readonly description: string | undefined;
  readonly category: string | undefined;
  readonly defaultAllowed: boolean;
  readonly currentlyAllowed: boolean;
}

export interface ToolProgressEvent {
  readonly type: "tool_progress";
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly output: string | undefined;
  readonly subagentSessionId: string | undefined;
  readonly isError: boolean;
  readonly raw: JsonObject;
}

export interface ToolResultEvent {
  readonly type: "tool_result";
  readonly id: string;
  readonly messageId: string | undefined;
  readonly content: string;
  readonly isError: boolean;
}

export interface ToolSelection {
  readonly additionalTools?: readonly string[] | undefined;
  readonly disabledTools?: readonly string[] | undefined;
  readonly restrictTools?: readonly string[] | undefined;
}

export interface ToolStartInfo {
  readonly turnId: string;
  readonly sessionId: string;
  readonly toolCallId: string;
  readonly name: string;
}

export interface ToolUse {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

export interface TurnEndInfo extends TurnStartInfo {
  readonly result: DroidTurnResult | undefined;
  readonly error: Error | undefined;
  readonly durationMs: number;
}

export interface TurnStartInfo {
  readonly turnId: string;
  readonly sessionId: string;
  readonly model: string | undefined;
  readonly version: DroidVersion;
}

export interface TypedAnswer<T, Result> {
  readonly value: T;
  readonly text: string;
  readonly attempts: number;
  readonly result: Result;
}

export interface UnknownEvent {
  readonly type: "unknown";
  readonly notification: JsonObject;
}

export declare class UnsupportedByDroidError extends DroidError {
  readonly name = "UnsupportedByDroidError";
  readonly feature: string;
  readonly version: DroidVersion;
  constructor(feature: string, version: DroidVersion, options?: ErrorOptions);
}

export interface UsageEvent {
  readonly type: "usage";
  readonly sessionId: string | undefined;
  readonly usage: TokenUsage;
  readonly inclusive: TokenUsage | undefined;
  readonly lastCall: TokenUsage | undefined;
}

export type Visibility = "both" | "llm_only" | "user_only" | (string & {});

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
  option: string | undefined,
  overlay?: EnvOverlay,
): Promise<string>;

export declare function listModels(
  options?: ListModelsOptions,
  wait?: WaitOptions,
): Promise<readonly ModelInfo[]>;

export declare function openTelemetryHooks<Context, Span extends OpenTelemetrySpan>(
  api: OpenTelemetryApi<Context, Span>,
): DroidHooks;

export declare function readHistory(stored: readonly DroidMessage[]): readonly HistoryTurn[];

export declare function readPlan(input: JsonObject): readonly DroidPlanEntry[] | undefined;

export declare function readVersion(
  executable: string,
  env?: EnvOverlay,
): Promise<string | undefined>;

export declare function run<const S extends AnswerSchema>(
  prompt: string | PromptInput,
  options: DroidRunOptions & AnswerOptions<S>,
): Promise<DroidRunAnswer<AnswerOf<S>>>;

export declare function run(
  prompt: string | PromptInput,
  options?: DroidRunOptions,
): Promise<DroidRunResult>;

export declare function typedAnswer<const S extends AnswerSchema>(
  droid: DroidClient,
  prompt: string | PromptInput,
  options: DroidAnswerOptions<S>,
): Promise<DroidAnswer<AnswerOf<S>>>;

declare const METHODS: {
  readonly listModels: MethodSpec<Readonly<Record<string, never>>, readonly ModelInfo[]>;
  readonly listTools: MethodSpec<Readonly<Record<string, never>>, readonly ToolInfo[]>;
  readonly listCommands: MethodSpec<Readonly<Record<string, never>>, readonly CommandInfo[]>;
  readonly listSkills: MethodSpec<Readonly<Record<string, never>>, readonly SkillInfo[]>;
  readonly contextStats: MethodSpec<Readonly<Record<string, never>>, ContextStats>;
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
  readonly killWorker: MethodSpec<
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
