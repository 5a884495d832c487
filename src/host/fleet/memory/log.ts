import { quietIterator } from "../../../base/index.ts";
import type { AppendOptions, FleetLog, LoggedEntry, ReadOptions } from "../engine.ts";
import { fenced } from "../errors.ts";
import { checkOpen, whileOpen } from "./open.ts";
import { Wakeups } from "./wakeups.ts";

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
