import { quietIterator } from "../../../base/index.ts";
import type { FleetTable, TableChange, TableEntry } from "../engine.ts";
import { checkOpen, whileOpen } from "./open.ts";
import { Wakeups } from "./wakeups.ts";

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
