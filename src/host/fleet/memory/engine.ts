import { setMaxListeners } from "node:events";
import {
  deferred,
  type Deferred,
  definedFields,
  type Overrides,
  randomId,
  toError,
  within,
} from "../../../base/index.ts";
import {
  type CallStore,
  DEFAULT_ENGINE_LIMITS,
  engineOf,
  type LogStore,
  type QueueStore,
  type TableStore,
} from "../engine-parts.ts";
import type {
  AppendOptions,
  EngineLimits,
  FleetEngine,
  LoggedEntry,
  TableChange,
  TableEntry,
  WorkItem,
} from "../engine.ts";
import { callTimeout, fenced, FleetError, missingValue, noHost } from "../errors.ts";

/** Options of {@link memoryFleet}. */
export interface MemoryFleetOptions {
  /** Changes to the limits. */
  readonly limits?: Overrides<EngineLimits> | undefined;
  /** The most characters kept of each session's log. The oldest entries go first. Default: 64 Mi. */
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

/** Creates a fleet in memory, for one machine and for tests. */
export function memoryFleet(options: MemoryFleetOptions = {}): MemoryFleet {
  const limits = { ...DEFAULT_ENGINE_LIMITS, ...definedFields(options.limits) };
  const forever = Number.POSITIVE_INFINITY;
  const stores = {
    limits,
    log: new MemoryLogs(options.maxLogChars ?? 64 * MI),
    leases: new MemoryTable(limits.leaseMs),
    work: new MemoryQueue(limits),
    hosts: new MemoryTable(limits.hostMs),
    sessions: new MemoryTable(forever),
    jobs: new MemoryTable(forever),
    values: new MemoryValues(options.maxValueChars ?? 256 * MI),
    health: () => Promise.resolve([]),
  };
  const handlers = new Map<string, CallHandler>();
  return {
    connect: () => {
      const end = new AbortController();
      // Every reader and every pause listens to it.
      setMaxListeners(0, end.signal);
      const calls = memoryCalls(handlers, end.signal);
      const close = (): Promise<void> => Promise.resolve(end.abort());
      return engineOf({ ...stores, calls, close }, end.signal);
    },
  };
}

type CallHandler = (text: string) => Promise<string>;

/** Calls between the connections of one fleet. `handlers` belongs to the fleet. */
function memoryCalls(handlers: Map<string, CallHandler>, closed: AbortSignal): CallStore {
  return {
    answer: (host, handler) => {
      const forget = (): void => {
        if (handlers.get(host) === handler) handlers.delete(host);
      };
      handlers.set(host, handler);
      closed.addEventListener("abort", forget, { once: true });
      return { close: () => Promise.resolve(forget()) };
    },
    call: async (host, text, timeoutMs) => {
      const handler = handlers.get(host);
      if (!handler) throw noHost(host);
      const answer = handler(text).catch((error: unknown) => {
        throw new FleetError("remote_error", toError(error).message);
      });
      if (await within(answer, timeoutMs)) return answer;
      throw callTimeout(host, timeoutMs);
    },
  };
}

interface MemoryLogEntries {
  entries: LoggedEntry[];
  chars: number;
  last: number;
}

/** The oldest entries of a session are dropped above `maxChars`. */
class MemoryLogs implements LogStore {
  readonly #changed = new Wakeups();
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
    this.#changed.emit(session);
    return log.last;
  }

  last(session: string): number {
    return this.#logs.get(session)?.last ?? 0;
  }

  async *read(
    session: string,
    after: number,
    last: number,
    signal: AbortSignal,
  ): AsyncGenerator<LoggedEntry, undefined> {
    let position = after;
    while (!signal.aborted && position < last) {
      const entries = this.#logs.get(session)?.entries ?? [];
      const entry = entries[firstAfter(entries, position)];
      if (entry) {
        position = entry.position;
        yield entry;
      } else if (Number.isFinite(last)) {
        return undefined;
      } else {
        await this.#changed.next(session, signal);
      }
    }
    return undefined;
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

interface MemoryWork {
  readonly id: string;
  readonly text: string;
  deliveries: number;
  /** When it may be given out, on the clock of `performance.now()`. */
  dueAt: number;
}

/** How many ids of finished work are remembered, so that it is not added again. */
const KEPT_IDS = 10_000;

class MemoryQueue implements QueueStore {
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

  async take(pool: string, waitMs: number, signal: AbortSignal): Promise<WorkItem | undefined> {
    const until = performance.now() + waitMs;
    const stop = new AbortController();
    const ends = AbortSignal.any([stop.signal, signal]);
    try {
      for (;;) {
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
    const delay = (ms: number): Promise<void> => {
      // Unless it was given out again in between.
      if (work.deliveries === given) work.dueAt = performance.now() + ms;
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
    const work = this.#pools.get(pool) ?? new Map<string, MemoryWork>();
    this.#pools.set(pool, work);
    return work;
  }
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

/** Records expire after `ttlMs`. */
class MemoryTable implements TableStore {
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

  create(key: string, value: string): number | undefined {
    return this.get(key) ? undefined : this.#set(key, value);
  }

  update(key: string, value: string, revision: number): number | undefined {
    return this.get(key)?.revision === revision ? this.#set(key, value) : undefined;
  }

  put(key: string, value: string): void {
    this.#set(key, value);
  }

  delete(key: string, revision?: number): boolean {
    if (revision !== undefined && this.get(key)?.revision !== revision) return false;
    this.#revision++;
    if (this.#records.delete(key)) this.#note({ key, value: undefined });
    return true;
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

  #set(key: string, value: string): number {
    const revision = ++this.#revision;
    const expiresAt = performance.now() + this.#ttlMs;
    this.#records.set(key, { entry: { key, value, revision }, expiresAt });
    this.#note({ key, value });
    return revision;
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

/** The oldest values are dropped above `maxChars`. */
class MemoryValues {
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

/** Wakes those who wait for a change under a name. */
class Wakeups {
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
