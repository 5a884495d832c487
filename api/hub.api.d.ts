// The public interface of `dragoman/hub`, written by `npm run docs`.

export type AgentEndCause =
  | "died"
  | "ignored_cancel"
  | "unresponsive"
  | "flooded"
  | "idle"
  | "closed";

export interface AgentEventPart {
  readonly agent: string;
  readonly owner: string;
}

export interface AgentProxy {
  readonly ended: Promise<ProxyEnd>;
  close(): Promise<void>;
}

export interface AuditEntry {
  readonly agent: string;
  readonly owner: string;
  readonly session: string;
  readonly method: string;
  readonly kind: ToolKind;
  readonly targets: PermissionTargets;
  readonly decision: "allow" | "deny" | "cancel";
  readonly by: AuditSource;
}

export interface AuditLog {
  record(entry: AuditEntry): Promise<void>;
  note(type: string, fields: JsonObject): Promise<void>;
  close(): Promise<void>;
}

export interface AuditLogOptions {
  readonly maxBytes?: number | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
}

export type AuditSource =
  | {
      readonly type: "rule";
      readonly rule: number;
      readonly file: string;
    }
  | {
      readonly type: "client";
      readonly client: string | undefined;
    }
  | {
      readonly type: "remembered";
    }
  | {
      readonly type: "unattended";
    }
  | {
      readonly type: "roots";
    }
  | {
      readonly type: "default";
    }
  | {
      readonly type: "cancelled";
    }
  | {
      readonly type: "invalid";
    };

export interface Channel {
  open(receive: (line: string) => void): void;
  send(line: string): Promise<void>;
  pause(): void;
  resume(): void;
  close(): Promise<CloseReason>;
  readonly closed: Promise<CloseReason>;
}

export type ClientRole = "controller" | "observer";

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

export declare class CredentialsError extends DragomanError {
  readonly name = "CredentialsError";
  constructor(message: string, options?: ErrorOptions);
}

export type EnvOverlay = Readonly<Record<string, string | undefined>>;

export interface ExitStatus {
  readonly code: number | null;
  readonly signal: string | null;
}

export declare class ExposedAddressError extends DragomanError {
  readonly name = "ExposedAddressError";
  readonly address: string;
  constructor(address: string);
}

export interface FromFiles<T> {
  readonly files: readonly string[];
  load(): Promise<T>;
}

export declare const HUB_CODES: {
  readonly unknownSession: -32002;
  readonly notAllowed: -32003;
  readonly draining: -32004;
  readonly outcomeUnknown: -32005;
};

export interface Hub {
  readonly sessions: readonly HubSessionInfo[];
  readonly agents: readonly HubAgentInfo[];
  serve(channel: Channel, client: HubClientOptions): HubClient;
  drain(ms: number): Promise<void>;
  close(): Promise<void>;
}

export interface HubAgent {
  readonly name: string;
  readonly key: string;
  open(): Promise<Channel>;
  readonly idleMs?: number | undefined;
  readonly meta?: readonly string[] | undefined;
}

export interface HubAgentInfo {
  readonly name: string;
  readonly owner: string;
  readonly state: "starting" | "running" | "resting" | "waiting" | "failed";
  readonly pid: number | undefined;
  readonly starts: number;
  readonly clients: number;
  readonly sessions: number;
}

export interface HubClient {
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

export interface HubClientOptions {
  readonly agent: HubAgent;
  readonly owner: string;
  readonly tenant?: string | undefined;
  readonly role?: ClientRole | undefined;
  readonly root?: string | undefined;
  readonly mayUse?: ((session: HubSessionInfo) => boolean) | undefined;
  readonly graceMs?: number | undefined;
}

export type HubEvent =
  | (AgentEventPart & {
      readonly type: "agent_started";
      readonly pid: number | undefined;
      readonly starts: number;
      readonly ms: number;
    })
  | (AgentEventPart & {
      readonly type: "agent_ended";
      readonly cause: AgentEndCause;
      readonly reason: CloseReason;
    })
  | (AgentEventPart & {
      readonly type: "agent_start_failed";
      readonly error: Error;
      readonly retryMs: number | undefined;
    })
  | {
      readonly type: "client_connected";
      readonly owner: string;
      readonly role: string;
    }
  | {
      readonly type: "client_left";
      readonly owner: string;
    }
  | (SessionEventPart & {
      readonly type: "session_opened";
      readonly method: string;
    })
  | (SessionEventPart & {
      readonly type: "session_reopened";
      readonly method: string;
    })
  | (SessionEventPart & {
      readonly type: "session_lost";
      readonly message: string;
    })
  | (SessionEventPart & {
      readonly type: "session_closed";
    })
  | (SessionEventPart & {
      readonly type: "client_attached";
      readonly by: string;
      readonly role: string;
    })
  | (SessionEventPart & {
      readonly type: "turn_started";
      readonly by: string;
    })
  | (SessionEventPart & {
      readonly type: "turn_ended";
      readonly outcome: string;
      readonly ms: number;
    })
  | (SessionEventPart & {
      readonly type: "answered";
      readonly method: string;
      readonly by: string;
      readonly result: unknown;
    })
  | {
      readonly type: "refused";
      readonly owner: string;
      readonly method: string;
      readonly message: string;
    };

export interface HubLimits {
  readonly cancelMs: number;
  readonly requestMs: number;
  readonly turnIdleMs: number;
  readonly idleMs: number;
  readonly maxIdleCopies: number;
  readonly sessionIdleMs: number;
  readonly restWithClients: boolean;
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  readonly maxFailures: number;
  readonly failureWindowMs: number;
  readonly maxAgentRequests: number;
  readonly maxInvalidLines: number;
  readonly maxSessions: number;
  readonly maxQueuedPrompts: number;
  readonly maxUnsentBytes: number;
}

export interface HubOptions {
  readonly log?: SessionLogOptions | undefined;
  readonly policy?: ((session: PolicySession) => SessionPolicy | undefined) | undefined;
  readonly onUnjudged?: ((request: UnjudgedRequest) => void | Promise<void>) | undefined;
  readonly capabilities?: ((capabilities: JsonObject) => JsonObject) | undefined;
  readonly checkOpen?: ((request: OpenRequest) => JsonObject | Promise<JsonObject>) | undefined;
  readonly owners?: SessionOwners | undefined;
  readonly folderName?: ((cwd: string) => string) | undefined;
  readonly onEvent?: ((event: HubEvent) => void) | undefined;
  readonly limits?: Overrides<HubLimits> | undefined;
}

export interface HubPolicyOptions {
  readonly rules?: RulesFile | undefined;
  readonly files: "client" | "server";
  readonly audit?: Pick<AuditLog, "record"> | undefined;
  readonly missingFile?: ((agent: string) => "error" | "empty") | undefined;
  readonly env?: EnvOverlay | undefined;
}

export interface HubRoot {
  readonly name: string;
  readonly folder: string;
}

export interface HubRoots {
  readonly list: readonly HubRoot[];
  namesOf(path: string): readonly string[];
  nameOf(path: string): string;
  folder(path: unknown, field: string, allowed?: readonly string[]): Promise<string>;
}

export interface HubServer {
  readonly hub: Hub;
  readonly port: number;
  readonly addresses: readonly string[];
  readonly url: string;
  readonly webSocketUrl: string;
  drain(ms: number): Promise<void>;
  close(): Promise<void>;
}

export interface HubSessionInfo {
  readonly sessionId: string;
  readonly agent: string;
  readonly owner: string;
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly title: string | undefined;
  readonly isBusy: boolean;
  readonly queued: number;
  readonly controllers: number;
  readonly observers: number;
  readonly usedAt: number;
}

export type JsonObject = {
  readonly [key: string]: unknown;
};

export interface OpenRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly client: HubClientOptions;
}

export type Overrides<T> = {
  readonly [K in keyof T]?: T[K] | undefined;
};

export interface PermissionRule {
  readonly decision: RuleDecision;
  readonly kinds: ReadonlySet<ToolKind> | undefined;
  readonly matchesPath: ((target: TargetPath) => boolean) | undefined;
  readonly command: readonly string[] | undefined;
  readonly number: number;
}

export interface PermissionTargets {
  readonly paths: readonly TargetPath[];
  readonly commands: readonly TargetCommand[];
  readonly isComplete: boolean;
}

export type PolicyAnswer =
  | {
      readonly kind: "forward";
    }
  | {
      readonly kind: "result";
      readonly result: unknown;
    }
  | {
      readonly kind: "error";
      readonly code: number;
      readonly message: string;
      readonly data?: unknown;
    };

export type PolicyOutcome =
  | {
      readonly kind: "result";
      readonly result: unknown;
      readonly by: string;
    }
  | {
      readonly kind: "error";
      readonly code: number;
      readonly message: string;
      readonly by: string;
    }
  | {
      readonly kind: "unattended";
    }
  | {
      readonly kind: "cancelled";
    };

export interface PolicyReply {
  readonly result: unknown;
  readonly by: string;
}

export interface PolicyRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly signal: AbortSignal;
  ask(method: string, params: JsonObject): Promise<PolicyReply>;
}

export interface PolicySession {
  readonly sessionId: string;
  readonly agent: string;
  readonly owner: string;
  readonly roots: readonly string[];
  readonly protocolVersion: number;
}

export type ProtocolChoice = 1 | 2 | "newest";

export type ProtocolVersion = 1 | 2;

export type ProxyEnd =
  | {
      readonly kind: "closed";
    }
  | {
      readonly kind: "cannot_start";
      readonly error: Error;
    }
  | {
      readonly kind: "given_up";
      readonly error: Error;
    };

export interface ProxyOptions extends Pick<
  HubOptions,
  "policy" | "onUnjudged" | "capabilities" | "checkOpen" | "onEvent" | "limits"
> {
  readonly agent: HubAgent;
  readonly protocol?: ProtocolChoice | undefined;
  readonly channel?: Channel | undefined;
}

export type RefusalReason = "host" | "origin" | "no_token" | "wrong_token" | "token_in_address";

export interface RefusedRequest {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly reason: RefusalReason | undefined;
  readonly origin: string | undefined;
  readonly host: string | undefined;
  readonly address: string | undefined;
}

export interface RemoteLimits {
  readonly maxMessageBytes: number;
  readonly maxSessions: number;
  readonly maxPending: number;
  readonly maxIdChars: number;
  readonly maxUnreadBytes: number;
  readonly replayBytes: number;
  readonly maxConnectsPerMinute: number;
  readonly maxFailuresPerMinute: number;
  readonly bodyMs: number;
  readonly initializeMs: number;
  readonly pingMs: number;
  readonly idleMs: number;
  readonly stallMs: number;
  readonly graceMs: number;
}

export interface RootCheckerOptions {
  readonly allowed?:
    | readonly string[]
    | ((client: HubClientOptions) => readonly string[] | undefined)
    | undefined;
}

export declare class RootError extends DragomanError {
  readonly name = "RootError";
  constructor(message: string, options?: ErrorOptions);
}

export declare class RpcError extends DragomanError {
  readonly name: string;
  readonly rpcCode: number;
  readonly data: unknown;
  constructor(rpcCode: number, message: string, data?: unknown);
  static methodNotFound(method: string): RpcError;
  static invalidParams(message: string, data?: unknown): RpcError;
}

export type RuleDecision = "allow" | "deny" | "ask";

export interface RulesEnvironment {
  readonly home: string;
  readonly platform: string;
}

export declare class RulesError extends DragomanError {
  readonly name = "RulesError";
  constructor(message: string, options?: ErrorOptions);
}

export interface RulesFile {
  readonly file: string;
  forFolder(cwd: string): readonly PermissionRule[];
}

export type ServeEvent =
  | HubEvent
  | {
      readonly type: "connection_opened";
      readonly owner: string;
      readonly agent: string;
      readonly transport: "websocket" | "http";
      readonly address: string | undefined;
    }
  | {
      readonly type: "connection_closed";
      readonly owner: string;
      readonly agent: string;
      readonly cause: "ended" | "revoked";
    }
  | ({
      readonly type: "request_refused";
    } & RefusedRequest)
  | {
      readonly type: "reloaded";
      readonly what: "tokens" | "certificate";
    }
  | {
      readonly type: "reload_failed";
      readonly what: "tokens" | "certificate";
      readonly error: Error;
    }
  | {
      readonly type: "draining";
    };

export interface ServeHubOptions {
  readonly agents: readonly HubAgent[];
  readonly tokens: readonly TokenGrant[] | FromFiles<readonly TokenGrant[]>;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly tls?: TlsCredentials | FromFiles<TlsCredentials> | undefined;
  readonly isInsecureAllowed?: boolean | undefined;
  readonly hostNames?: readonly string[] | undefined;
  readonly origins?: readonly string[] | undefined;
  readonly hub?: Omit<HubOptions, "onEvent" | "checkOpen"> | undefined;
  readonly roots?: HubRoots | undefined;
  readonly graceMs?: number | undefined;
  readonly maxConnections?: number | undefined;
  readonly headersMs?: number | undefined;
  readonly reloadMs?: number | undefined;
  readonly limits?: Overrides<RemoteLimits> | undefined;
  readonly onEvent?: ((event: ServeEvent) => void) | undefined;
}

export interface SessionEventPart extends AgentEventPart {
  readonly sessionId: string;
}

export interface SessionLogOptions {
  readonly folder: string;
  readonly memoryBytes?: number | undefined;
  readonly diskBytes?: number | undefined;
}

export interface SessionOwners {
  ownerOf(sessionId: string): string | undefined;
  add(sessionId: string, owner: string): void;
  remove(sessionId: string): void;
}

export interface SessionPolicy {
  readonly update?: ((params: JsonObject) => void) | undefined;
  request(request: PolicyRequest): PolicyAnswer | Promise<PolicyAnswer>;
  readonly answered?: ((request: PolicyRequest, outcome: PolicyOutcome) => void) | undefined;
  readonly agentEnded?: (() => void) | undefined;
  close(): Promise<void>;
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

export interface TlsCredentials {
  readonly cert: string;
  readonly key: string;
}

export interface TokenGrant {
  readonly name: string;
  readonly sha256: string;
  readonly agents: readonly string[] | undefined;
  readonly roots: readonly string[] | undefined;
  readonly role: TokenRole;
  readonly tenant?: string | undefined;
  readonly expires: number | undefined;
}

export type TokenRole = "controller" | "observer";

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

export interface UnjudgedRequest {
  readonly agent: string;
  readonly owner: string;
  readonly method: string;
  readonly sessionId: string | undefined;
}

export interface UserEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: string;
}

export declare function createHub(options?: HubOptions): Hub;

export declare function defaultAuditFile(user: UserEnvironment): string;

export declare function fileOwners(
  path: string,
  failed?: (error: Error) => void,
): Promise<SessionOwners>;

export declare function hubPolicy(
  options: HubPolicyOptions,
): Required<Pick<HubOptions, "policy" | "onUnjudged" | "capabilities">>;

export declare function openAuditLog(file: string, options?: AuditLogOptions): Promise<AuditLog>;

export declare function openRoots(roots: readonly HubRoot[]): Promise<HubRoots>;

export declare function parseRoot(text: string, cwd: string): HubRoot;

export declare function proxy(options: ProxyOptions): AgentProxy;

export declare function readRules(
  text: string,
  file: string,
  { home, platform }: RulesEnvironment,
): RulesFile;

export declare function rootChecker(
  roots: HubRoots,
  { allowed }?: RootCheckerOptions,
): (request: OpenRequest) => Promise<JsonObject>;

export declare function serveHub(options: ServeHubOptions): Promise<HubServer>;

export declare function translatedAgent(channel: Channel, protocol: ProtocolChoice): Channel;

export declare function translatedClient(channel: Channel, version: ProtocolVersion): Channel;
