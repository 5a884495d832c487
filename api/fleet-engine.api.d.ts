// The public interface of `dragoman/fleet/engine`, written by `npm run docs`.

export interface AppendOptions {
  readonly fence: number;
  readonly after: number;
}

export interface CallServer {
  close(): Promise<void>;
}

export interface EngineLimits {
  readonly leaseMs: number;
  readonly hostMs: number;
  readonly callMs: number;
  readonly workMs: number;
  readonly maxWork: number;
  readonly retryMs: number;
}

export interface FleetCallOptions {
  readonly timeoutMs?: number | undefined;
}

export interface FleetCalls {
  answer(host: string, handler: (text: string) => Promise<string>): Promise<CallServer>;
  call(host: string, text: string, options?: FleetCallOptions): Promise<string>;
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
  [Symbol.asyncDispose](): Promise<void>;
}

export declare class FleetError extends DragomanError {
  readonly name = "FleetError";
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

export interface FleetQueue {
  add(pool: string, id: string, text: string): Promise<boolean>;
  take(pool: string, options: TakeOptions): Promise<WorkItem | undefined>;
  depth(pool: string): Promise<number>;
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

export interface StoreHealth {
  readonly name: string;
  readonly entries: number;
  readonly bytes: number;
  readonly leader: string | undefined;
  readonly replicas: readonly ReplicaHealth[];
}

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

export interface WorkItem {
  readonly id: string;
  readonly text: string;
  readonly deliveries: number;
  extend(): Promise<void>;
  done(): Promise<void>;
  giveBack(delayMs: number): Promise<void>;
}
