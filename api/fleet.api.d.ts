// The public interface of `dragoman/fleet`, written by `npm run docs`.

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

export interface AppendOptions {
  readonly fence: number;
  readonly after: number;
}

export interface AsyncStream<T> extends AsyncIterator<T, undefined> {
  [Symbol.asyncIterator](): AsyncStream<T>;
}

export interface CallServer {
  close(): Promise<void>;
}

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

export interface EngineLimits {
  readonly leaseMs: number;
  readonly hostMs: number;
  readonly callMs: number;
  readonly workMs: number;
  readonly maxWork: number;
  readonly retryMs: number;
}

export interface ExitStatus {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface FleetCallOptions {
  readonly timeoutMs?: number | undefined;
}

export interface FleetCalls {
  answer(host: string, handler: (text: string) => Promise<string>): Promise<CallServer>;
  call(host: string, text: string, options?: FleetCallOptions): Promise<string>;
}

export interface FleetClient {
  create(session: NewFleetSession): Promise<string>;
  open(session: string, options?: OpenSessionOptions): Promise<JsonObject>;
  prompt(session: string, prompt: FleetPrompt): Promise<boolean>;
  cancel(session: string): Promise<void>;
  answer(session: string, answer: QuestionAnswer): Promise<void>;
  request(session: string, method: string, params: JsonObject): Promise<unknown>;
  release(session: string): Promise<void>;
  read(session: string, options?: ReadOptions): AsyncStream<FollowedEntry>;
  show(session: string): Promise<FleetSession>;
  list(): Promise<readonly FleetSession[]>;
  remove(session: string): Promise<void>;
}

export interface FleetEngine {
  readonly limits: EngineLimits;
  readonly log: FleetLog;
  readonly leases: FleetLeases;
  readonly calls: FleetCalls;
  readonly work: FleetQueue;
  readonly hosts: FleetTable;
  readonly sessions: FleetTable;
  readonly jobs: FleetTable;
  readonly values: FleetValues;
  health(): Promise<readonly StoreHealth[]>;
  close(): Promise<void>;
}

export type FleetEntry =
  | {
      readonly type: "takeover";
      readonly host: string;
    }
  | {
      readonly type: "opened";
      readonly method: string;
      readonly result: JsonObject;
    }
  | {
      readonly type: "update";
      readonly params: JsonObject;
    }
  | {
      readonly type: "notification";
      readonly method: string;
      readonly params: JsonObject;
    }
  | {
      readonly type: "prompt";
      readonly id: string;
      readonly by: string;
      readonly prompt: readonly JsonObject[];
    }
  | {
      readonly type: "turn_started";
      readonly id: string;
    }
  | {
      readonly type: "turn_ended";
      readonly id: string;
      readonly result?: JsonObject | undefined;
      readonly error?: TurnFailure | undefined;
    }
  | {
      readonly type: "question";
      readonly id: string;
      readonly method: string;
      readonly params: JsonObject;
    }
  | {
      readonly type: "question_closed";
      readonly id: string;
      readonly by?: string | undefined;
      readonly result?: JsonObject | undefined;
    }
  | {
      readonly type: "unknown";
      readonly raw: unknown;
    };

export declare class FleetError extends DragomanError {
  readonly name = "FleetError";
}

export interface FleetHost {
  readonly host: string;
  readonly pool: string;
  readonly agents: readonly string[];
  readonly roots: readonly string[];
  readonly volume: string;
  readonly sessions: number;
  readonly maxSessions: number;
  readonly turns: number;
  readonly jobs: number;
  readonly unacknowledged: number;
  readonly isDraining: boolean;
  readonly reportedAt: number;
}

export interface FleetJob extends NewJob {
  readonly tenant: string;
  readonly session: string;
  readonly state: JobState;
  readonly host: string | undefined;
  readonly result: JobResult | undefined;
  readonly error: string | undefined;
}

export interface FleetJobs {
  submit(job: NewJob): Promise<FleetJob>;
  show(id: string): Promise<FleetJob>;
  list(): Promise<readonly FleetJob[]>;
  cancel(id: string): Promise<FleetJob>;
  diff(id: string): Promise<string | undefined>;
  wait(id: string, signal?: AbortSignal): Promise<FleetJob>;
}

export interface FleetLeases {
  take(session: string, host: string): Promise<Lease | undefined>;
  holder(session: string): Promise<LeaseHolder | undefined>;
}

export interface FleetLog {
  append(session: string, text: string, options: AppendOptions): Promise<number>;
  last(session: string): Promise<number>;
  read(session: string, options?: ReadOptions): AsyncStream<LoggedEntry>;
  remove(session: string): Promise<void>;
}

export interface FleetPrompt {
  readonly id: string;
  readonly by: string;
  readonly prompt: readonly JsonObject[];
}

export interface FleetQueue {
  add(pool: string, id: string, text: string): Promise<boolean>;
  take(pool: string, options: TakeOptions): Promise<WorkItem | undefined>;
  depth(pool: string): Promise<number>;
}

export interface FleetSession {
  readonly id: string;
  readonly tenant: string;
  readonly pool: string;
  readonly agent: string;
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly mcpServers: readonly JsonObject[];
  readonly host: string | undefined;
  readonly volume: string | undefined;
  readonly fence: number;
  readonly agentSessionId: string | undefined;
  readonly isBusy: boolean;
  readonly usedAt: number;
}

export interface FleetStatus {
  readonly workers: readonly FleetHost[];
  readonly pools: readonly PoolStatus[];
  readonly jobs: Readonly<Record<JobState, number>>;
  readonly stores: readonly StoreHealth[];
}

export interface FleetTable {
  get(key: string): Promise<TableEntry | undefined>;
  create(key: string, value: string): Promise<number | undefined>;
  update(key: string, value: string, revision: number): Promise<number | undefined>;
  put(key: string, value: string): Promise<void>;
  delete(key: string, revision?: number): Promise<boolean>;
  list(): Promise<readonly TableEntry[]>;
  watch(signal: AbortSignal): AsyncStream<TableChange>;
}

export interface FleetValues {
  put(text: string): Promise<string>;
  get(reference: string): Promise<string>;
}

export interface FleetWorker {
  readonly sessions: readonly string[];
  readonly status: FleetHost;
  drain(ms: number): Promise<void>;
  close(): Promise<void>;
}

export interface FollowedEntry {
  readonly position: number;
  readonly fence: number;
  readonly at: number;
  readonly entry: FleetEntry;
}

export declare const GATEWAY_CODES: {
  readonly tryLater: -32007;
};

export interface GatewayOptions {
  readonly engine: FleetEngine;
  readonly pool: string;
}

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

export interface JobBudget {
  readonly cost?: number | undefined;
  readonly tokens?: number | undefined;
  readonly toolCalls?: number | undefined;
}

export type JobDiff =
  | {
      readonly text: string;
    }
  | {
      readonly reference: string;
    };

export interface JobResult {
  readonly answer: string;
  readonly value?: unknown;
  readonly stopReason: string | undefined;
  readonly usage: JsonObject | undefined;
  readonly diff: JobDiff | undefined;
  readonly position: number;
}

export type JobSource =
  | {
      readonly kind: "root";
      readonly cwd: string;
      readonly revision?: string | undefined;
    }
  | {
      readonly kind: "git";
      readonly url: string;
      readonly revision?: string | undefined;
    };

export type JobState = "queued" | "running" | "done" | "failed" | "cancelled" | "unknown";

export type JsonObject = {
  readonly [key: string]: unknown;
};

export interface Lease extends LeaseHolder {
  readonly session: string;
  readonly validUntil: number;
  renew(): Promise<boolean>;
  release(): Promise<void>;
}

export interface LeaseHolder {
  readonly host: string;
  readonly fence: number;
}

export interface LoggedEntry {
  readonly position: number;
  readonly fence: number;
  readonly at: number;
  readonly text: string;
}

export interface MemoryFleet {
  connect(): FleetEngine;
}

export interface MemoryFleetOptions {
  readonly limits?: Overrides<EngineLimits> | undefined;
  readonly maxLogChars?: number | undefined;
  readonly maxValueChars?: number | undefined;
}

export type NatsCredentials =
  | {
      readonly kind: "file";
      readonly path: string;
    }
  | {
      readonly kind: "nkey";
      readonly path: string;
    }
  | {
      readonly kind: "password";
      readonly user: string;
      readonly password: string;
    }
  | {
      readonly kind: "token";
      readonly token: string;
    };

export interface NatsOptions {
  readonly servers: string | readonly string[];
  readonly name?: string | undefined;
  readonly credentials?: NatsCredentials | undefined;
  readonly tls?: NatsTls | undefined;
  readonly prefix?: string | undefined;
  readonly inboxPrefix?: string | undefined;
  readonly setup?: boolean | undefined;
  readonly storage?: NatsStorage | undefined;
  readonly limits?: Overrides<EngineLimits> | undefined;
}

export interface NatsStorage {
  readonly replicas?: 1 | 3 | 5 | undefined;
  readonly maxAgeMs?: number | undefined;
  readonly maxEntries?: number | undefined;
  readonly maxBytes?: number | undefined;
}

export interface NatsTls {
  readonly caFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
}

export interface NewFleetSession {
  readonly id?: string | undefined;
  readonly pool: string;
  readonly agent: string;
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[] | undefined;
  readonly mcpServers?: readonly JsonObject[] | undefined;
}

export interface NewJob {
  readonly id: string;
  readonly pool: string;
  readonly agent: string;
  readonly source: JobSource;
  readonly prompt: string;
  readonly timeoutMs?: number | undefined;
  readonly rules?: string | undefined;
  readonly schema?: JsonObject | undefined;
  readonly schemaRetries?: number | undefined;
  readonly budget?: JobBudget | undefined;
}

export interface OpenRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly client: HubClientOptions;
}

export interface OpenSessionOptions {
  readonly mcpServers?: readonly JsonObject[] | undefined;
}

export type Overrides<T> = {
  readonly [K in keyof T]?: T[K] | undefined;
};

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

export interface PoolStatus {
  readonly pool: string;
  readonly sessions: number;
  readonly busy: number;
  readonly queued: number;
}

export interface QuestionAnswer {
  readonly id: string;
  readonly by: string;
  readonly result: JsonObject;
}

export interface ReadOptions {
  readonly after?: number | undefined;
  readonly follow?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ReplicaHealth {
  readonly server: string;
  readonly isCurrent: boolean;
  readonly lag: number;
}

export declare class RpcError extends DragomanError {
  readonly name: string;
  readonly rpcCode: number;
  readonly data: unknown;
  constructor(rpcCode: number, message: string, data?: unknown);
  static methodNotFound(method: string): RpcError;
  static invalidParams(message: string, data?: unknown): RpcError;
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

export interface SessionRecordingOptions {
  readonly follow?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly keepSecrets?: boolean | undefined;
}

export interface StoreHealth {
  readonly name: string;
  readonly entries: number;
  readonly bytes: number;
  readonly leader: string | undefined;
  readonly replicas: readonly ReplicaHealth[];
}

export declare const TURN_CODES: {
  readonly outcomeUnknown: -32005;
  readonly notRun: -32006;
};

export interface TableChange {
  readonly key: string;
  readonly value: string | undefined;
}

export interface TableEntry {
  readonly key: string;
  readonly value: string;
  readonly revision: number;
}

export interface TakeOptions {
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface TurnFailure {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface UnjudgedRequest {
  readonly agent: string;
  readonly owner: string;
  readonly method: string;
  readonly sessionId: string | undefined;
}

export interface WorkItem {
  readonly id: string;
  readonly text: string;
  readonly deliveries: number;
  extend(): Promise<void>;
  done(): Promise<void>;
  giveBack(delayMs: number): Promise<void>;
}

export type WorkerEvent =
  | {
      readonly type: "session_opened";
      readonly session: string;
    }
  | {
      readonly type: "session_closed";
      readonly session: string;
    }
  | {
      readonly type: "session_lost";
      readonly session: string;
      readonly message: string;
    }
  | {
      readonly type: "session_recovered";
      readonly session: string;
      readonly unknown: number;
    }
  | {
      readonly type: "job_started";
      readonly job: string;
    }
  | {
      readonly type: "job_ended";
      readonly job: string;
    }
  | {
      readonly type: "failed";
      readonly what: string;
      readonly error: Error;
    };

export interface WorkerOptions {
  readonly engine: FleetEngine;
  readonly host: string;
  readonly pool: string;
  readonly agents: readonly HubAgent[];
  readonly roots?: HubRoots | undefined;
  readonly volume?: string | undefined;
  readonly jobsFolder?: string | undefined;
  readonly hub?: Omit<HubOptions, "log"> | undefined;
  readonly jobPolicy?: ((rules: string) => HubOptions["policy"]) | undefined;
  readonly limits?: Overrides<WorkerSettings> | undefined;
  readonly onEvent?: ((event: WorkerEvent) => void) | undefined;
}

export interface WorkerSettings {
  readonly maxSessions: number;
  readonly maxQueuedPrompts: number;
  readonly idleMs: number;
  readonly questionMs: number;
  readonly maxUnacknowledged: number;
  readonly chunkMs: number;
  readonly chunkChars: number;
}

export declare function chooseHost(
  hosts: readonly FleetHost[],
  session: Pick<FleetSession, "pool" | "agent" | "cwd" | "host" | "volume" | "agentSessionId">,
  random?: () => number,
): FleetHost | undefined;

export declare function connectNats(options: NatsOptions): Promise<FleetEngine>;

export declare function fleetClient(engine: FleetEngine, tenant: string): FleetClient;

export declare function fleetJobs(engine: FleetEngine, tenant: string): FleetJobs;

export declare function fleetStatus(engine: FleetEngine): Promise<FleetStatus>;

export declare function gatewayHub({ engine, pool }: GatewayOptions, options?: HubOptions): Hub;

export declare function listHosts(table: FleetTable): Promise<readonly FleetHost[]>;

export declare function memoryFleet(options?: MemoryFleetOptions): MemoryFleet;

export declare function openRoots(roots: readonly HubRoot[]): Promise<HubRoots>;

export declare function readEntry(text: string): FleetEntry;

export declare function sessionRecording(
  engine: FleetEngine,
  session: string,
  options?: SessionRecordingOptions,
): AsyncStream<string>;

export declare function startWorker(options: WorkerOptions): Promise<FleetWorker>;
