import { deferred, type Deferred, quiet, toError, pause } from "../../../base/index.ts";
import type { FleetLog } from "../engine.ts";
import { closedError, isFleetError } from "../errors.ts";
import type { WorkerSettings } from "../worker/options.ts";
import { type FleetEntry, writeEntry, coalesced, chunkLength } from "./entries.ts";

type WriterLimits = Pick<WorkerSettings, "maxUnacknowledged" | "chunkMs" | "chunkChars">;

/** The time before an entry that the engine had no room for is tried again. */
const TRY_LATER_MS = 1000;

export interface WriterSession {
  readonly session: string;
  readonly fence: number;
  readonly after: number;
  readonly lost: (error: Error) => void;
}

interface Unacknowledged {
  entry: FleetEntry;
  readonly addedAt: number;
}

/**
 * Appends the entries of one session, one after the other: each names the position of the one before, so
 * that a worker which lost the session cannot append. Pieces of text that arrive in between become one.
 */
export class SessionWriter {
  readonly #log: FleetLog;
  readonly #limits: WriterLimits;
  readonly #session: WriterSession;
  #queue: Unacknowledged[] = [];
  /** Those who wait for everything that was added before. */
  #flushes: { readonly count: number; readonly done: Deferred<number> }[] = [];
  #drained: Deferred<void> | undefined;
  /** The position of the last entry that is stored. */
  position: number;
  /** How many entries were added, and how many of them are stored. */
  #added = 0;
  #stored = 0;
  #isSending = false;
  #wake: (() => void) | undefined;
  #failure: Error | undefined;
  /** Sees every entry as it is added, even after the end. */
  watch: (entry: FleetEntry) => void = () => {};
  readonly #end = new AbortController();

  constructor(log: FleetLog, session: WriterSession, limits: WriterLimits) {
    this.#log = log;
    this.#session = session;
    this.#limits = limits;
    this.position = session.after;
    void this.#run();
  }

  get unacknowledged(): number {
    return this.#queue.length;
  }

  /** Whether so much is not acknowledged that the agent should wait. */
  get isFull(): boolean {
    return this.#queue.length >= this.#limits.maxUnacknowledged;
  }

  /** Resolves when the writer is not full anymore, or has ended. */
  get drained(): Promise<void> {
    if (!this.isFull || this.#failure) return Promise.resolve();
    return (this.#drained ??= deferred()).promise;
  }

  /** Adds an entry. It is dropped if the writer has ended. */
  add(entry: FleetEntry): void {
    this.watch(entry);
    if (this.#failure) return;
    // The entry that is on its way cannot change anymore.
    const last = this.#queue.length > (this.#isSending ? 1 : 0) ? this.#queue.at(-1) : undefined;
    const merged = last && this.#merged(last.entry, entry);
    if (last && merged) {
      last.entry = merged;
      if ((chunkLength(merged) ?? 0) < this.#limits.chunkChars) return;
    } else {
      this.#added++;
      this.#queue.push({ entry, addedAt: performance.now() });
    }
    this.#wake?.();
  }

  /** Resolves with the last position once everything is stored. Rejects if the session is lost. */
  flush(): Promise<number> {
    if (this.#failure) return quiet(Promise.reject(this.#failure));
    if (this.#stored === this.#added) return Promise.resolve(this.position);
    const done = deferred<number>();
    this.#flushes.push({ count: this.#added, done });
    this.#wake?.();
    return quiet(done.promise);
  }

  append(entry: FleetEntry): Promise<number> {
    this.add(entry);
    return this.flush();
  }

  /** Ends the writer. Entries that are not stored are dropped. */
  close(): void {
    this.#fail(closedError("the session"), false);
  }

  #merged(one: FleetEntry, other: FleetEntry): FleetEntry | undefined {
    const { chunkChars } = this.#limits;
    if ((chunkLength(one) ?? chunkChars) >= chunkChars) return undefined;
    return coalesced(one, other);
  }

  async #run(): Promise<void> {
    while (!this.#failure) {
      const [first] = this.#queue;
      if (!first || this.#mayGrow(first)) {
        await this.#sleep(first ? this.#limits.chunkMs : undefined);
        continue;
      }
      this.#isSending = true;
      try {
        await this.#store(first);
      } catch (error) {
        this.#fail(toError(error), true);
      }
      this.#isSending = false;
    }
  }

  async #store(first: Unacknowledged): Promise<void> {
    const { session, fence } = this.#session;
    try {
      const text = writeEntry(first.entry);
      this.position = await this.#log.append(session, text, { fence, after: this.position });
    } catch (error) {
      if (!isFleetError(error, "try_later") || this.#failure) throw error;
      return pause(TRY_LATER_MS, this.#end.signal);
    }
    this.#queue.shift();
    this.#stored++;
    if (this.#failure) return;
    if (!this.isFull) this.#release();
    while (this.#flushes[0] && this.#flushes[0].count <= this.#stored) {
      this.#flushes.shift()?.done.resolve(this.position);
    }
  }

  /** Whether a piece of text waits for the next one. */
  #mayGrow({ entry, addedAt }: Unacknowledged): boolean {
    const { chunkMs, chunkChars } = this.#limits;
    if (this.#queue.length > 1 || this.#flushes.length > 0) return false;
    const length = chunkLength(entry);
    return length !== undefined && length < chunkChars && performance.now() - addedAt < chunkMs;
  }

  /** Waits for something to do, at most this long. */
  #sleep(ms: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(() => this.#wake?.(), ms);
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
    });
  }

  #fail(error: Error, isLost: boolean): void {
    if (this.#failure) return;
    this.#failure = error;
    this.#end.abort();
    this.#queue = [];
    for (const { done } of this.#flushes.splice(0)) done.reject(error);
    this.#release();
    this.#wake?.();
    if (isLost) this.#session.lost(error);
  }

  #release(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}
