import type { AsyncStream } from "../../base/index.ts";

/** The time limits and sizes of an engine. */
export interface EngineLimits {
  /** How long a lease lasts without a renewal, in milliseconds. Default: 15 s. */
  readonly leaseMs: number;
  /** How long a host stays in the table of hosts without a report, in milliseconds. Default: 15 s. */
  readonly hostMs: number;
  /** How long a call waits for its answer, in milliseconds. Default: 2 s. */
  readonly callMs: number;
  /** When work that a worker took and neither finished nor extended is given out again. Default: 30 s. */
  readonly workMs: number;
  /** The most work that may wait in all pools together. Default: 10,000. */
  readonly maxWork: number;
  /**
   * How long a call to the engine is repeated while it does not answer, in milliseconds. Shorter than the
   * election of a leader, and appends fail that would have succeeded. Default: 20 s.
   */
  readonly retryMs: number;
}

/** An entry of a session's log. */
export interface LoggedEntry {
  /** Its position. Positions grow, with gaps. */
  readonly position: number;
  /** The fence of the owner that appended it. */
  readonly fence: number;
  /** When it was stored, in milliseconds since the epoch, on the clock of the engine. */
  readonly at: number;
  readonly text: string;
}

/** How an entry is appended. */
export interface AppendOptions {
  /** The fence of the lease under which it is appended. */
  readonly fence: number;
  /** The position of the last entry that the owner knows; 0 if there is none. */
  readonly after: number;
}

/** Which entries of a log are read. */
export interface ReadOptions {
  /** The position after which to start. Default: 0, from the oldest entry that is kept. */
  readonly after?: number | undefined;
  /** Whether to go on with entries as they are appended. Default: false. */
  readonly follow?: boolean | undefined;
  /** Ends the stream when aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** The logs of all sessions. */
export interface FleetLog {
  /**
   * Appends an entry, and resolves with its position once it is stored for good. An entry is stored at
   * most once, however often the engine has to send it. Rejects with FleetError: `fenced` if the last
   * entry is not the one at `after`, `unavailable` if the engine did not confirm it, and `try_later` if the
   * log is full.
   */
  append(session: string, text: string, options: AppendOptions): Promise<number>;
  /** The position of the last entry; 0 if there is none. Rejects with FleetError `unavailable`. */
  last(session: string): Promise<number>;
  /** The entries in order, at the reader's pace. Without `follow`, up to the last one at the start. */
  read(session: string, options?: ReadOptions): AsyncStream<LoggedEntry>;
  /** Removes all entries of a session. Rejects with FleetError `unavailable`. */
  remove(session: string): Promise<void>;
}

/** Who holds a lease. */
export interface LeaseHolder {
  readonly host: string;
  /** The fence of its lease. */
  readonly fence: number;
}

/** The right to run a session, for a limited time. */
export interface Lease extends LeaseHolder {
  readonly session: string;
  /** Until when the holder may work, by `performance.now()`. Another host can take the lease only later. */
  readonly validUntil: number;
  /** Extends the lease. Resolves with false if it is lost. FleetError `unavailable` does not mean so. */
  renew(): Promise<boolean>;
  /** Gives the lease back, so that another host can take it at once. Never rejects. */
  release(): Promise<void>;
}

/** The leases of all sessions. */
export interface FleetLeases {
  /** Takes a lease, with a fence above all earlier ones; undefined if another host holds it. */
  take(session: string, host: string): Promise<Lease | undefined>;
  /** Who holds the lease; undefined if no host does. Rejects with FleetError `unavailable`. */
  holder(session: string): Promise<LeaseHolder | undefined>;
}

/** Options of a call. */
export interface FleetCallOptions {
  /** How long to wait for the answer, in milliseconds. Default: `callMs` of the limits. */
  readonly timeoutMs?: number | undefined;
}

/** Answers the calls of a host until it is closed. */
export interface CallServer {
  /** Stops answering. Never rejects. */
  close(): Promise<void>;
}

/** Requests from one process of the fleet to another. */
export interface FleetCalls {
  /** Answers the calls to a host. A handler that rejects answers with its message. */
  answer(host: string, handler: (text: string) => Promise<string>): Promise<CallServer>;
  /** Calls a host. Rejects with FleetError `no_owner`, `call_timeout`, or `call_failed` and the message. */
  call(host: string, text: string, options?: FleetCallOptions): Promise<string>;
}

/** Work that a worker took. */
export interface WorkItem {
  readonly id: string;
  readonly text: string;
  /** How often it was given out, this time included. */
  readonly deliveries: number;
  /** Keeps the work for another `workMs`. Never rejects: work that is lost is given out again. */
  extend(): Promise<void>;
  /** Removes the work from the queue. Rejects with FleetError `unavailable`; then it may come again. */
  done(): Promise<void>;
  /** Gives the work out again, after this many milliseconds. Never rejects. */
  giveBack(delayMs: number): Promise<void>;
}

/** How work is taken. */
export interface TakeOptions {
  /** How long to wait for work, in milliseconds. */
  readonly waitMs: number;
  /** Stops waiting when aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** The work that waits for workers, by pool. */
export interface FleetQueue {
  /** Adds work. Resolves with false if its id is known. FleetError `try_later`: the queue is full. */
  add(pool: string, id: string, text: string): Promise<boolean>;
  /** Takes the oldest work of a pool; undefined if there was none. Rejects with FleetError, such as `closed`. */
  take(pool: string, options: TakeOptions): Promise<WorkItem | undefined>;
  /** How much work of a pool is not done. Rejects with FleetError `unavailable`. */
  depth(pool: string): Promise<number>;
}

/** A record of a table. */
export interface TableEntry {
  /** Its key. */
  readonly key: string;
  /** The record. */
  readonly value: string;
  /** Grows with every change of the table. */
  readonly revision: number;
}

/** A change of a table. */
export interface TableChange {
  /** The key of the record. */
  readonly key: string;
  /** The record; undefined if it was removed. The expiry of a record is not reported. */
  readonly value: string | undefined;
}

/** Records by key, such as the sessions of a fleet. All methods reject with FleetError `unavailable`. */
export interface FleetTable {
  /** The record of a key. */
  get(key: string): Promise<TableEntry | undefined>;
  /** Adds a record, and resolves with its revision; undefined if there is one already. */
  create(key: string, value: string): Promise<number | undefined>;
  /** Changes a record, and resolves with its revision; undefined if another change came first. */
  update(key: string, value: string, revision: number): Promise<number | undefined>;
  /** Adds a record or changes it. */
  put(key: string, value: string): Promise<void>;
  /** Removes a record. With a revision: only if no other change came first. Resolves with whether it did. */
  delete(key: string, revision?: number): Promise<boolean>;
  /** All records, in no particular order. */
  list(): Promise<readonly TableEntry[]>;
  /** All records, and then every change, until the signal is aborted. */
  watch(signal: AbortSignal): AsyncStream<TableChange>;
}

/** Values that are too large for an entry. They are kept as long as the entries of a log. */
export interface FleetValues {
  /** Stores a value, and resolves with a reference to it. Rejects with FleetError. */
  put(text: string): Promise<string>;
  /** The value of a reference. Rejects with FleetError `missing_value` if it is gone. */
  get(reference: string): Promise<string>;
}

/** A store of an engine, and its copies. */
export interface StoreHealth {
  readonly name: string;
  readonly entries: number;
  /** How many bytes it takes. */
  readonly bytes: number;
  /** The server that leads it; undefined if there is none now, or only one server. */
  readonly leader: string | undefined;
  /** The other servers that have a copy. */
  readonly replicas: readonly ReplicaHealth[];
}

/** A copy of a store. */
export interface ReplicaHealth {
  /** The server. */
  readonly server: string;
  /** Whether it is there and has everything. */
  readonly isCurrent: boolean;
  /** How many entries it is behind. */
  readonly lag: number;
}

/** Joins the machines of a fleet. The hub and the workers do not know which engine it is. */
export interface FleetEngine {
  /** The limits in force. */
  readonly limits: EngineLimits;
  /** The logs of the sessions. */
  readonly log: FleetLog;
  /** The owners of the sessions. */
  readonly leases: FleetLeases;
  /** Calls between processes. */
  readonly calls: FleetCalls;
  /** The work that waits for workers. */
  readonly work: FleetQueue;
  /** The hosts and their load. A record expires after `hostMs`. */
  readonly hosts: FleetTable;
  /** The sessions. */
  readonly sessions: FleetTable;
  /** The jobs. */
  readonly jobs: FleetTable;
  /** Large values. */
  readonly values: FleetValues;
  /** The stores of the engine, for those who watch it. Rejects with FleetError `unavailable`. */
  health(): Promise<readonly StoreHealth[]>;
  /** Ends all streams and connections of this engine. Never rejects. */
  close(): Promise<void>;
  /** Calls `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
