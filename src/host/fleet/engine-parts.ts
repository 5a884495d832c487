// What the engines share: leases on a table, and the checks around every call.
import {
  asObject,
  numberField,
  parseJsonObject,
  quietIterator,
  quietly,
  randomId,
  stringField,
} from "../../base/index.ts";
import type {
  CallServer,
  EngineLimits,
  FleetEngine,
  FleetLeases,
  FleetLog,
  FleetQueue,
  FleetTable,
  FleetValues,
  Lease,
  LoggedEntry,
  ReadOptions,
  StoreHealth,
  TableChange,
  WorkItem,
} from "./engine.ts";
import { closedError } from "./errors.ts";

export const DEFAULT_ENGINE_LIMITS: EngineLimits = {
  leaseMs: 15_000,
  hostMs: 15_000,
  callMs: 2000,
  workMs: 30_000,
  maxWork: 10_000,
  retryMs: 20_000,
};

/** These methods, which may also answer at once. */
type Direct<T, K extends keyof T> = {
  readonly [M in K]: T[M] extends (...args: infer A) => Promise<infer R>
    ? (...args: A) => R | Promise<R>
    : never;
};

export interface LogStore extends Direct<FleetLog, "append" | "last" | "remove"> {
  /** The entries between two positions, with those that will come. It ends when the signal is aborted. */
  read(
    session: string,
    after: number,
    last: number,
    signal: AbortSignal,
  ): AsyncGenerator<LoggedEntry, undefined>;
}

export interface TableStore extends Direct<FleetTable, Exclude<keyof FleetTable, "watch">> {
  watch(signal: AbortSignal): AsyncGenerator<TableChange, undefined>;
}

export interface QueueStore extends Direct<FleetQueue, "add" | "depth"> {
  /** Resolves with undefined when the signal is aborted. */
  take(pool: string, waitMs: number, signal: AbortSignal): Promise<WorkItem | undefined>;
}

export interface CallStore {
  answer(
    host: string,
    handler: (text: string) => Promise<string>,
  ): CallServer | Promise<CallServer>;
  call(host: string, text: string, timeoutMs: number): Promise<string>;
}

/** The parts of one connection to a fleet. None has to look whether the engine is closed. */
export interface EngineParts {
  readonly limits: EngineLimits;
  readonly log: LogStore;
  readonly leases: TableStore;
  readonly calls: CallStore;
  readonly work: QueueStore;
  readonly hosts: TableStore;
  readonly sessions: TableStore;
  readonly jobs: TableStore;
  readonly values: Direct<FleetValues, keyof FleetValues>;
  health(): Promise<readonly StoreHealth[]>;
  close(): Promise<void>;
}

/** An engine of these parts, whose calls reject with FleetError `closed` once `closed` is aborted. */
export function engineOf(parts: EngineParts, closed: AbortSignal): FleetEngine {
  const { limits, log, calls, work, values } = parts;
  const open = <T>(make: () => T | Promise<T>): Promise<T> =>
    quietly(async () => {
      checkOpen(closed);
      return make();
    });
  const table = (store: TableStore): FleetTable => ({
    get: (key) => open(() => store.get(key)),
    create: (key, value) => open(() => store.create(key, value)),
    update: (key, value, revision) => open(() => store.update(key, value, revision)),
    put: (key, value) => open(() => store.put(key, value)),
    delete: (key, revision) => open(() => store.delete(key, revision)),
    list: () => open(() => store.list()),
    watch: (signal) => quietIterator(watch(store, signal, closed)),
  });
  const close = (): Promise<void> => quietly(() => parts.close());
  return {
    limits,
    log: {
      append: (session, text, options) => open(() => log.append(session, text, options)),
      last: (session) => open(() => log.last(session)),
      read: (session, options = {}) => quietIterator(read(log, session, options, closed)),
      remove: (session) => open(() => log.remove(session)),
    },
    leases: leasesOn(table(parts.leases), limits.leaseMs),
    calls: {
      answer: (host, handler) => open(() => calls.answer(host, handler)),
      call: (host, text, { timeoutMs = limits.callMs } = {}) =>
        open(() => calls.call(host, text, timeoutMs)),
    },
    work: {
      add: (pool, id, text) => open(() => work.add(pool, id, text)),
      take: (pool, { waitMs, signal }) =>
        open(async () => {
          const item = await work.take(pool, waitMs, either(closed, signal));
          checkOpen(closed);
          return item;
        }),
      depth: (pool) => open(() => work.depth(pool)),
    },
    hosts: table(parts.hosts),
    sessions: table(parts.sessions),
    jobs: table(parts.jobs),
    values: {
      put: (text) => open(() => values.put(text)),
      get: (reference) => open(() => values.get(reference)),
    },
    health: () => open(() => parts.health()),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function checkOpen(closed: AbortSignal): void {
  if (closed.aborted) throw closedError("the engine");
}

function either(closed: AbortSignal, signal: AbortSignal | undefined): AbortSignal {
  return signal ? AbortSignal.any([closed, signal]) : closed;
}

async function* read(
  log: LogStore,
  session: string,
  { after = 0, follow = false, signal }: ReadOptions,
  closed: AbortSignal,
): AsyncGenerator<LoggedEntry, undefined> {
  checkOpen(closed);
  const last = follow ? Number.POSITIVE_INFINITY : await log.last(session);
  return yield* log.read(session, after, last, either(closed, signal));
}

async function* watch(
  table: TableStore,
  signal: AbortSignal,
  closed: AbortSignal,
): AsyncGenerator<TableChange, undefined> {
  checkOpen(closed);
  return yield* table.watch(either(closed, signal));
}

/** The part of a lease that its holder gives up: clocks differ, and a renewal takes time. */
const MARGIN = 1 / 5;

interface LeaseRecord {
  readonly host: string;
  /** Tells the leases of one host apart. */
  readonly token: string;
  /** The revision of the record when the lease was taken; undefined in its first version. */
  readonly fence?: number | undefined;
}

/** Leases on a table whose records expire: the record of a session names its owner. */
function leasesOn(table: FleetTable, leaseMs: number): FleetLeases {
  return {
    take: (session, host) =>
      quietly(async () => {
        const token = randomId();
        const takenAt = performance.now();
        const fence = await table.create(session, JSON.stringify({ host, token }));
        if (fence === undefined) return undefined;
        return new TableLease(table, leaseMs, session, { host, token, fence }, takenAt);
      }),
    holder: (session) =>
      quietly(async () => {
        const entry = await table.get(session);
        if (!entry) return undefined;
        const { host, fence = entry.revision } = readLease(entry.value);
        return { host, fence };
      }),
  };
}

function readLease(text: string): LeaseRecord {
  const record = asObject(parseJsonObject(text));
  return {
    host: stringField(record, "host") ?? "",
    token: stringField(record, "token") ?? "",
    fence: numberField(record, "fence"),
  };
}

class TableLease implements Lease {
  readonly session: string;
  readonly host: string;
  readonly fence: number;
  readonly #table: FleetTable;
  readonly #leaseMs: number;
  readonly #token: string;
  #revision: number;
  #renewedAt: number;
  #isLost = false;

  constructor(
    table: FleetTable,
    leaseMs: number,
    session: string,
    { host, token, fence }: Required<LeaseRecord> & { readonly fence: number },
    takenAt: number,
  ) {
    this.session = session;
    this.host = host;
    this.fence = fence;
    this.#table = table;
    this.#leaseMs = leaseMs;
    this.#token = token;
    this.#revision = fence;
    this.#renewedAt = takenAt;
  }

  get validUntil(): number {
    return this.#isLost ? 0 : this.#renewedAt + this.#leaseMs * (1 - MARGIN);
  }

  renew(): Promise<boolean> {
    return quietly(async () => {
      if (this.#isLost) return false;
      // The time counts from before the request, because the engine may have carried it out at once.
      const startedAt = performance.now();
      if (await this.#update(startedAt)) return true;
      // The change that came first may be an earlier renewal of our own, whose answer was lost.
      const entry = await this.#table.get(this.session);
      if (entry && readLease(entry.value).token === this.#token) {
        this.#revision = entry.revision;
        if (await this.#update(startedAt)) return true;
      }
      this.#isLost = true;
      return false;
    });
  }

  release(): Promise<void> {
    return quietly(async () => {
      if (this.#isLost) return;
      this.#isLost = true;
      // If this fails, the lease expires.
      await this.#table.delete(this.session, this.#revision).catch(() => {});
    });
  }

  async #update(startedAt: number): Promise<boolean> {
    const record = JSON.stringify({ host: this.host, token: this.#token, fence: this.fence });
    const revision = await this.#table.update(this.session, record, this.#revision);
    if (revision === undefined) return false;
    this.#revision = revision;
    this.#renewedAt = startedAt;
    return true;
  }
}
