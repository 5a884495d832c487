// The public interface of `dragoman/hub`, written by `npm run docs`.

export interface AgentProxy {
  readonly ended: Promise<ProxyEnd>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
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
  [Symbol.asyncDispose](): Promise<void>;
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

export declare class CredentialsError extends DragomanError {
  readonly name = "CredentialsError";
  constructor(message: string, options?: ErrorOptions);
}

export declare class DragomanError extends Error {
  readonly name: string;
  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string, options?: ErrorOptions);
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

export declare class ExposedAddressError extends DragomanError {
  readonly name = "ExposedAddressError";
  readonly address: string;
  constructor(address: string);
}

export declare class HttpStatusError extends DragomanError {
  readonly name = "HttpStatusError";
  readonly status: number;
  readonly body: string;
  constructor(what: string, status: number, body: string);
}

export interface Hub {
  readonly sessions: readonly HubSessionInfo[];
  readonly agents: readonly HubAgentInfo[];
  serve(channel: Channel, client: HubClientOptions): HubClient;
  drain(ms: number): Promise<void>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface HubAgent {
  readonly name: string;
  readonly key: string;
  open(): Promise<Channel>;
  readonly idleMs?: number | undefined;
  readonly meta?: readonly string[] | undefined;
}

export interface HubClient {
  readonly closed: Promise<void>;
  close(): Promise<void>;
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
  [Symbol.asyncDispose](): Promise<void>;
}

export declare class ListenError extends DragomanError {
  readonly name = "ListenError";
  readonly address: string;
  readonly systemCode: string | undefined;
  constructor(address: string, cause: Error);
}

export interface ListenRemoteOptions<A> extends Omit<RemoteEndpointOptions<A>, "hosts" | "path"> {
  readonly path?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly hosts?: readonly string[] | undefined;
  readonly tls?:
    | {
        readonly cert: string;
        readonly key: string;
      }
    | undefined;
  readonly headersMs?: number | undefined;
}

export interface OpenRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly client: HubClientOptions;
}

export interface PermissionRule {
  readonly decision: RuleDecision;
  readonly kinds: ReadonlySet<ToolKind> | undefined;
  readonly matchesPath: ((target: TargetPath) => boolean) | undefined;
  readonly command: readonly string[] | undefined;
  readonly number: number;
}

export interface ProxyOptions extends Pick<
  HubOptions,
  "policy" | "onUnjudged" | "capabilities" | "checkOpen" | "onEvent" | "limits"
> {
  readonly agent: HubAgent;
  readonly protocol?: ProtocolChoice | undefined;
  readonly channel?: Channel | undefined;
}

export interface RefusedRequest {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly reason: RefusalReason | undefined;
  readonly origin: string | undefined;
  readonly host: string | undefined;
  readonly address: string | undefined;
}

export interface RemoteEndpoint<A> extends RemoteListener<A> {
  handle(request: HttpRequestLike, response: HttpResponseLike): Promise<void>;
  upgrade(request: object, socket: object, head: Uint8Array): Promise<void>;
  admit(request: HttpRequestLike, response: HttpResponseLike): Promise<A | undefined>;
  isInPlace(request: HttpRequestLike, response: HttpResponseLike): boolean;
}

export interface RemoteEndpointOptions<A> extends ListenerOptions {
  readonly authorize: (request: RemoteRequest) => A | undefined | Promise<A | undefined>;
  readonly owner?: ((access: A) => string) | undefined;
  readonly hosts: readonly string[];
  readonly origins?: readonly string[] | undefined;
  readonly path?: string | ((path: string) => boolean) | undefined;
  readonly mayUse?: ((access: A, path: string) => boolean) | undefined;
  readonly onRefused?: ((refused: RefusedRequest) => void) | undefined;
  readonly limits?: Overrides<RemoteLimits> | undefined;
}

export interface RemoteServer<A> extends RemoteListener<A> {
  readonly port: number;
  readonly url: string;
  readonly webSocketUrl: string;
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

export type SessionRole = "controller" | "observer";

export interface TokenGrant {
  readonly name: string;
  readonly sha256: string;
  readonly agents?: readonly string[] | undefined;
  readonly roots?: readonly string[] | undefined;
  readonly role: SessionRole;
  readonly tenant?: string | undefined;
  readonly expires?: number | undefined;
}

export declare class TokensFileError extends DragomanError {
  readonly name = "TokensFileError";
  readonly field: string;
  constructor(field: string, problem: string);
}

export declare function connectRemote(
  url: string | URL,
  options?: ConnectRemoteOptions,
): Promise<Channel>;

export declare function createHub(options?: HubOptions): Hub;

export declare function createToken(): string;

export declare function fileOwners(
  path: string,
  failed?: (error: Error) => void,
): Promise<SessionOwners>;

export declare function findGrant(
  token: string | undefined,
  grants: readonly TokenGrant[],
  now: number,
): TokenGrant | undefined;

export declare function hashToken(token: string): string;

export declare function hubPolicy(
  options: HubPolicyOptions,
): Required<Pick<HubOptions, "policy" | "onUnjudged" | "capabilities">>;

export declare function listenRemote<A>(options: ListenRemoteOptions<A>): Promise<RemoteServer<A>>;

export declare function openAuditLog(file: string, options?: AuditLogOptions): Promise<AuditLog>;

export declare function openRoots(roots: readonly HubRoot[]): Promise<HubRoots>;

export declare function parseTokens(text: string): readonly TokenGrant[];

export declare function proxy(options: ProxyOptions): AgentProxy;

export declare function readRules(
  text: string,
  file: string,
  { home, platform }: RulesEnvironment,
): RulesFile;

export declare function remoteEndpoint<A>(options: RemoteEndpointOptions<A>): RemoteEndpoint<A>;

export declare function rootChecker(
  roots: HubRoots,
  { allowed }?: RootCheckerOptions,
): (request: OpenRequest) => Promise<JsonObject>;

export declare function serveHub(options: ServeHubOptions): Promise<HubServer>;

export declare function translatedAgent(channel: Channel, protocol: ProtocolChoice): Channel;

export declare function translatedClient(channel: Channel, version: ProtocolVersion): Channel;
