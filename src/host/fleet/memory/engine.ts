import { setMaxListeners } from "node:events";
import {
  definedFields,
  type Overrides,
  toError,
  within,
  quietIterator,
  randomId,
  deferred,
  type Deferred,
} from "../../../base/index.ts";
import {
  type EngineLimits,
  type FleetEngine,
  type FleetCalls,
  type AppendOptions,
  type FleetLog,
  type LoggedEntry,
  type ReadOptions,
  type FleetQueue,
  type TakeOptions,
  type WorkItem,
  type FleetTable,
  type TableChange,
  type TableEntry,
  type FleetValues,
} from "../engine.ts";
import { DEFAULT_ENGINE_LIMITS, leasesOn, whileOpen, checkOpen } from "../engine-parts.ts";
import { callFailed, callTimeout, noHost, fenced, FleetError, missingValue } from "../errors.ts";

/** Options of {@link memoryFleet}. */
export interface MemoryFleetOptions {
  /** Changes to the limits. */
  readonly limits?: Overrides<EngineLimits> | undefined;
  /**
   * The most that is kept of the log of each session, in characters. The oldest entries go first. Default:
   * 64 Mi.
   */
  readonly maxLogChars?: number | undefined;
  /** The most that is kept of all large values, in characters. The oldest go first. Default: 256 Mi. */
  readonly maxValueChars?: number | undefined;
}

/** A fleet in the memory of one process. It loses everything with the process. */
export interface MemoryFleet {
  /** Joins the fleet. Each engine can be closed by itself, like a process that ends. */
  connect(): FleetEngine;
}

const MI = 1024 * 1024;
const MAX_LOG_CHARS = 64 * MI;
const MAX_VALUE_CHARS = 256 * MI;

/** Creates a fleet in memory, for one machine and for tests. */
export function memoryFleet(options: MemoryFleetOptions = {}): MemoryFleet {
  const limits = { ...DEFAULT_ENGINE_LIMITS, ...definedFields(options.limits) };
  const logs = new MemoryLogs(options.maxLogChars ?? MAX_LOG_CHARS);
  const queue = new MemoryQueue(limits);
  const forever = Number.POSITIVE_INFINITY;
  const leases = new MemoryTable(limits.leaseMs);
  const hosts = new MemoryTable(limits.hostMs);
  const sessions = new MemoryTable(forever);
  const jobs = new MemoryTable(forever);
  const handlers = new Map<string, (text: string) => Promise<string>>();
  const values = new MemoryValues(options.maxValueChars ?? MAX_VALUE_CHARS);
  return {
    connect: () => {
      const end = new AbortController();
      const closed = end.signal;
      // Every reader and every pause listens to it.
      setMaxListeners(0, closed);
      return {
        limits,
        log: memoryLog(logs, closed),
        leases: leasesOn(memoryTable(leases, closed), limits.leaseMs),
        calls: memoryCalls(handlers, limits.callMs, closed),
        work: memoryQueue(queue, closed),
        hosts: memoryTable(hosts, closed),
        sessions: memoryTable(sessions, closed),
        jobs: memoryTable(jobs, closed),
        values: memoryValues(values, closed),
        health: () => whileOpen(closed, () => Promise.resolve([])),
        close: () => Promise.resolve(end.abort()),
      };
    },
  };
}

type CallHandler = (text: string) => Promise<string>;

/** Calls between the connections of one fleet in memory. `handlers` belongs to the fleet. */
export function memoryCalls(
  handlers: Map<string, CallHandler>,
  callMs: number,
  closed: AbortSignal,
): FleetCalls {
  const forget = (host: string, handler: CallHandler): void => {
    if (handlers.get(host) === handler) handlers.delete(host);
  };
  return {
    answer: (host, handler) =>
      whileOpen(closed, () => {
        handlers.set(host, handler);
        closed.addEventListener("abort", () => forget(host, handler), { once: true });
        return { close: () => Promise.resolve(forget(host, handler)) };
      }),
    call: (host, text, options = {}) =>
      whileOpen(closed, () => call(handlers.get(host), host, text, options.timeoutMs ?? callMs)),
  };
}

async function call(
  handler: CallHandler | undefined,
  host: string,
  text: string,
  timeoutMs: number,
): Promise<string> {
  if (!handler) throw noHost(host);
  const answer = handler(text).catch((error: unknown) => {
    throw callFailed(toError(error).message);
  });
  if (await within(answer, timeoutMs)) return answer;
  throw callTimeout(host, timeoutMs);
}

/** The log of one session. */
interface MemoryLogEntries {
  entries: LoggedEntry[];
  chars: number;
  last: number;
}

/** The logs of a fleet in memory. The oldest entries of a session are dropped above `maxChars`. */
export class MemoryLogs {
  readonly changed = new Wakeups();
  readonly #maxChars: number;
  readonly #logs = new Map<string, MemoryLogEntries>();
  #position = 0;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  append(session: string, text: string, { fence, after }: AppendOptions): number {
    const log = this.#logs.get(session) ?? { entries: [], chars: 0, last: 0 };
    if (log.last !== after) throw fenced(session);
    this.#logs.set(session, log);
    log.last = ++this.#position;
    log.entries.push({ position: log.last, fence, at: Date.now(), text });
    log.chars += text.length;
    this.#trim(log);
    this.changed.emit(session);
    return log.last;
  }

  last(session: string): number {
    return this.#logs.get(session)?.last ?? 0;
  }

  /** The first entry after a position. */
  next(session: string, after: number): LoggedEntry | undefined {
    const entries = this.#logs.get(session)?.entries ?? [];
    return entries[firstAfter(entries, after)];
  }

  remove(session: string): void {
    this.#logs.delete(session);
  }

  #trim(log: MemoryLogEntries): void {
    if (log.chars <= this.#maxChars) return;
    let dropped = 0;
    // The older half goes at once, because moving the rest for each entry would be quadratic.
    while (log.chars > this.#maxChars / 2 && dropped < log.entries.length - 1) {
      log.chars -= log.entries[dropped++]?.text.length ?? 0;
    }
    log.entries = log.entries.slice(dropped);
  }
}

/** Pure: the index of the first entry after a position, by bisection. */
function firstAfter(entries: readonly LoggedEntry[], after: number): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.position ?? 0) <= after) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The logs as one connection sees them. */
export function memoryLog(logs: MemoryLogs, closed: AbortSignal): FleetLog {
  return {
    append: (session, text, options) =>
      whileOpen(closed, () => logs.append(session, text, options)),
    last: (session) => whileOpen(closed, () => logs.last(session)),
    read: (session, options) => quietIterator(read(logs, session, options ?? {}, closed)),
    remove: (session) => whileOpen(closed, () => logs.remove(session)),
  };
}

async function* read(
  logs: MemoryLogs,
  session: string,
  options: ReadOptions,
  closed: AbortSignal,
): AsyncGenerator<LoggedEntry, undefined> {
  checkOpen(closed);
  const { after = 0, follow = false, signal } = options;
  const end = signal ? AbortSignal.any([closed, signal]) : closed;
  const last = follow ? Number.POSITIVE_INFINITY : logs.last(session);
  let position = after;
  while (!end.aborted && position < last) {
    const entry = logs.next(session, position);
    if (entry) {
      position = entry.position;
      yield entry;
    } else if (follow) {
      await logs.changed.next(session, end);
    } else {
      return undefined;
    }
  }
  return undefined;
}

interface MemoryWork {
  readonly id: string;
  readonly text: string;
  deliveries: number;
  /** When it may be given out, on the clock of `performance.now()`. */
  dueAt: number;
}

/** How many ids of finished work are remembered, so that it is not added again. */
const KEPT_IDS = 10_000;

/** The queue of a fleet in memory. */
export class MemoryQueue {
  readonly #limits: EngineLimits;
  readonly #pools = new Map<string, Map<string, MemoryWork>>();
  readonly #ids = new Set<string>();
  readonly #added = new Wakeups();
  #count = 0;

  constructor(limits: EngineLimits) {
    this.#limits = limits;
  }

  add(pool: string, id: string, text: string): boolean {
    if (this.#ids.has(id)) return false;
    if (this.#count >= this.#limits.maxWork) {
      throw new FleetError("try_later", "the queue of the fleet is full: try again later");
    }
    const [oldest] = this.#ids.size >= KEPT_IDS + this.#limits.maxWork ? this.#ids : [];
    if (oldest !== undefined) this.#ids.delete(oldest);
    this.#ids.add(id);
    this.#count++;
    this.#work(pool).set(id, { id, text, deliveries: 0, dueAt: 0 });
    this.#added.emit(pool);
    return true;
  }

  async take(
    pool: string,
    { waitMs, signal }: TakeOptions,
    closed: AbortSignal,
  ): Promise<WorkItem | undefined> {
    const until = performance.now() + waitMs;
    const stop = new AbortController();
    const ends = AbortSignal.any([stop.signal, closed, ...(signal ? [signal] : [])]);
    try {
      for (;;) {
        checkOpen(closed);
        const now = performance.now();
        const work = [...this.#work(pool).values()];
        const due = work.find(({ dueAt }) => dueAt <= now);
        if (due && !ends.aborted) return this.#give(pool, due);
        const nextDue = Math.min(until, ...work.map(({ dueAt }) => dueAt));
        if (ends.aborted || now >= until) return undefined;
        await within(this.#added.next(pool, ends), Math.max(1, nextDue - now));
      }
    } finally {
      stop.abort();
    }
  }

  depth(pool: string): number {
    return this.#work(pool).size;
  }

  #give(pool: string, work: MemoryWork): WorkItem {
    const given = ++work.deliveries;
    /** Whether the work was not given out again in between. */
    const isOurs = (): boolean => work.deliveries === given;
    const delay = (ms: number): Promise<void> => {
      if (isOurs()) work.dueAt = performance.now() + ms;
      this.#added.emit(pool);
      return Promise.resolve();
    };
    void delay(this.#limits.workMs);
    return {
      id: work.id,
      text: work.text,
      deliveries: given,
      extend: () => delay(this.#limits.workMs),
      giveBack: delay,
      done: () => {
        if (this.#work(pool).delete(work.id)) this.#count--;
        return Promise.resolve();
      },
    };
  }

  #work(pool: string): Map<string, MemoryWork> {
    const known = this.#pools.get(pool);
    if (known) return known;
    const created = new Map<string, MemoryWork>();
    this.#pools.set(pool, created);
    return created;
  }
}

/** The queue as one connection sees it. */
export function memoryQueue(queue: MemoryQueue, closed: AbortSignal): FleetQueue {
  return {
    add: (pool, id, text) => whileOpen(closed, () => queue.add(pool, id, text)),
    take: (pool, options) => whileOpen(closed, () => queue.take(pool, options, closed)),
    depth: (pool) => whileOpen(closed, () => queue.depth(pool)),
  };
}

interface MemoryRecord {
  readonly entry: TableEntry;
  /** On the clock of `performance.now()`. */
  readonly expiresAt: number;
}

/** One name for all watchers: every change of a table concerns them. */
const ANY = "";

/** How many changes a watcher may be behind before it gets all records again. */
const KEPT_CHANGES = 1000;

/** A table in memory. With `ttlMs`, records expire. */
export class MemoryTable {
  readonly #ttlMs: number;
  readonly #records = new Map<string, MemoryRecord>();
  readonly #changed = new Wakeups();
  /** The newest changes. The first has the number `#firstChange`. */
  #changes: TableChange[] = [];
  #firstChange = 0;
  #revision = 0;

  constructor(ttlMs: number) {
    this.#ttlMs = ttlMs;
  }

  get(key: string): TableEntry | undefined {
    const record = this.#records.get(key);
    if (!record) return undefined;
    if (record.expiresAt > performance.now()) return record.entry;
    this.#records.delete(key);
    return undefined;
  }

  set(key: string, value: string): number {
    const revision = ++this.#revision;
    const expiresAt = performance.now() + this.#ttlMs;
    this.#records.set(key, { entry: { key, value, revision }, expiresAt });
    this.#note({ key, value });
    return revision;
  }

  delete(key: string): void {
    this.#revision++;
    if (this.#records.delete(key)) this.#note({ key, value: undefined });
  }

  list(): readonly TableEntry[] {
    return [...this.#records.keys()].flatMap((key) => this.get(key) ?? []);
  }

  async *watch(signal: AbortSignal): AsyncGenerator<TableChange, undefined> {
    let next = -1;
    while (!signal.aborted) {
      if (next < this.#firstChange) {
        next = this.#firstChange + this.#changes.length;
        for (const { key, value } of this.list()) yield { key, value };
        continue;
      }
      const change = this.#changes[next - this.#firstChange];
      if (change) {
        next++;
        yield change;
      } else {
        await this.#changed.next(ANY, signal);
      }
    }
    return undefined;
  }

  #note(change: TableChange): void {
    this.#changes.push(change);
    if (this.#changes.length > 2 * KEPT_CHANGES) {
      this.#firstChange += KEPT_CHANGES;
      this.#changes = this.#changes.slice(KEPT_CHANGES);
    }
    this.#changed.emit(ANY);
  }
}

/** The table as one connection sees it. */
export function memoryTable(table: MemoryTable, closed: AbortSignal): FleetTable {
  const isAt = (key: string, revision: number | undefined): boolean =>
    table.get(key)?.revision === revision;
  const change = (key: string, value: string, after: number | undefined): number | undefined =>
    isAt(key, after) ? table.set(key, value) : undefined;
  return {
    get: (key) => whileOpen(closed, () => table.get(key)),
    create: (key, value) => whileOpen(closed, () => change(key, value, undefined)),
    update: (key, value, revision) => whileOpen(closed, () => change(key, value, revision)),
    put: (key, value) => whileOpen(closed, () => void table.set(key, value)),
    delete: (key, revision) =>
      whileOpen(closed, () => {
        const isExpected = revision === undefined || isAt(key, revision);
        if (isExpected) table.delete(key);
        return isExpected;
      }),
    list: () => whileOpen(closed, () => table.list()),
    watch: (signal) => quietIterator(watch(table, signal, closed)),
  };
}

async function* watch(
  table: MemoryTable,
  signal: AbortSignal,
  closed: AbortSignal,
): AsyncGenerator<TableChange, undefined> {
  checkOpen(closed);
  return yield* table.watch(AbortSignal.any([signal, closed]));
}

/** The large values of a fleet in memory. The oldest are dropped above `maxChars`. */
export class MemoryValues {
  readonly #maxChars: number;
  readonly #values = new Map<string, string>();
  #chars = 0;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  put(text: string): string {
    const reference = randomId();
    this.#values.set(reference, text);
    this.#chars += text.length;
    for (const [oldest, dropped] of this.#values) {
      if (this.#chars <= this.#maxChars || oldest === reference) break;
      this.#values.delete(oldest);
      this.#chars -= dropped.length;
    }
    return reference;
  }

  get(reference: string): string {
    const text = this.#values.get(reference);
    if (text === undefined) throw missingValue(reference);
    return text;
  }
}

/** The values as one connection sees them. */
export function memoryValues(values: MemoryValues, closed: AbortSignal): FleetValues {
  return {
    put: (text) => whileOpen(closed, () => values.put(text)),
    get: (reference) => whileOpen(closed, () => values.get(reference)),
  };
}

/** Wakes those who wait for a change under a name. */
export class Wakeups {
  readonly #waiting = new Map<string, Set<Deferred<void>>>();

  /** Resolves with the next change, or when the signal is aborted. */
  async next(name: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const waiter = deferred();
    const waiters = this.#waiting.get(name) ?? new Set();
    this.#waiting.set(name, waiters);
    waiters.add(waiter);
    const wake = (): void => waiter.resolve();
    signal.addEventListener("abort", wake, { once: true });
    await waiter.promise;
    signal.removeEventListener("abort", wake);
    waiters.delete(waiter);
    if (waiters.size === 0 && this.#waiting.get(name) === waiters) this.#waiting.delete(name);
  }

  emit(name: string): void {
    for (const waiter of this.#waiting.get(name) ?? []) waiter.resolve();
  }
}
