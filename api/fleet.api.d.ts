// The public interface of `dragoman/fleet`, written by `npm run docs`.

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

export interface FleetStatus {
  readonly workers: readonly FleetHost[];
  readonly pools: readonly PoolStatus[];
  readonly jobs: Readonly<Record<JobState, number>>;
  readonly stores: readonly StoreHealth[];
}

export interface FleetWorker {
  readonly sessions: readonly string[];
  readonly status: FleetHost;
  drain(ms: number): Promise<void>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface GatewayOptions {
  readonly engine: FleetEngine;
  readonly pool: string;
}

export interface HubRoots {
  readonly list: readonly HubRoot[];
  namesOf(path: string): readonly string[];
  nameOf(path: string): string;
  folder(path: unknown, field: string, allowed?: readonly string[]): Promise<string>;
}

export interface MemoryFleet {
  connect(): FleetEngine;
}

export interface MemoryFleetOptions {
  readonly limits?: Overrides<EngineLimits> | undefined;
  readonly maxLogChars?: number | undefined;
  readonly maxValueChars?: number | undefined;
}

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

export declare function connectNats(options: NatsOptions): Promise<FleetEngine>;

export declare function fleetClient(engine: FleetEngine, tenant: string): FleetClient;

export declare function fleetJobs(engine: FleetEngine, tenant: string): FleetJobs;

export declare function fleetStatus(engine: FleetEngine): Promise<FleetStatus>;

export declare function gatewayHub({ engine, pool }: GatewayOptions, options?: HubOptions): Hub;

export declare function memoryFleet(options?: MemoryFleetOptions): MemoryFleet;

export declare function openRoots(roots: readonly HubRoot[]): Promise<HubRoots>;

export declare function readEntry(text: string): FleetEntry;

export declare function sessionRecording(
  engine: FleetEngine,
  session: string,
  options?: SessionRecordingOptions,
): AsyncStream<string>;

export declare function startWorker(options: WorkerOptions): Promise<FleetWorker>;
