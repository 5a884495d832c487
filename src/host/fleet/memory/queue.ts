import { within } from "../../../base/index.ts";
import type { EngineLimits, FleetQueue, TakeOptions, WorkItem } from "../engine.ts";
import { FleetError } from "../errors.ts";
import { checkOpen, whileOpen } from "./open.ts";
import { Wakeups } from "./wakeups.ts";

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
