/** Ends one hold on the reading of a connection. */
export type Release = () => void;

export interface InboxLimits {
  /** Items that may wait before reading is held. */
  readonly maxCount: number;
  /** Bytes that may wait before reading is held. */
  readonly maxBytes: number;
}

export const DEFAULT_INBOX_LIMITS: InboxLimits = { maxCount: 1024, maxBytes: 8 * 1024 * 1024 };

/** An item that waits; it is handed out as the iterator's result as it stands. */
interface Waiting<T> extends IteratorYieldResult<T> {
  readonly done: false;
  readonly size: number;
}

/** A consumer that waits for an item. */
interface Asked<T> {
  readonly resolve: (result: IteratorResult<T, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

/** Consumed slots are given back in blocks of at least this many. */
const COMPACT_SLOTS = 4096;

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * A queue between a connection and a consumer that may be slower.
 *
 * Past its limits it holds the reading of the connection, and lets go when half of it has been
 * consumed. It is iterated once; leaving the loop drops what is left.
 */
export class Inbox<T> implements AsyncIterableIterator<T, undefined> {
  readonly #limits: InboxLimits;
  readonly #hold: () => Release;
  #items: (Waiting<T> | undefined)[] = [];
  #head = 0;
  #bytes = 0;
  #release: Release | undefined;
  readonly #asked: Asked<T>[] = [];
  #end: { readonly error: unknown } | undefined;

  constructor(hold: () => Release, limits: Partial<InboxLimits> = {}) {
    this.#hold = hold;
    this.#limits = { ...DEFAULT_INBOX_LIMITS, ...limits };
  }

  /** How many items wait. */
  get length(): number {
    return this.#items.length - this.#head;
  }

  /** Adds an item of about `size` bytes. After the end it is dropped. */
  push(value: T, size = 0): void {
    if (this.#end) return;
    const asked = this.#asked.shift();
    if (asked) return asked.resolve({ done: false, value });
    this.#items.push({ done: false, value, size });
    this.#bytes += size;
    if (!this.#release && this.#isOver(1)) this.#release = this.#hold();
  }

  /** No more items come; what waits is still delivered, then the error is thrown if there is one. */
  end(error?: unknown): void {
    if (this.#end) return;
    const first = this.#asked.shift();
    // An error is thrown once: at who waits, or at who asks next.
    this.#end = { error: first ? undefined : error };
    this.#letGo();
    if (error === undefined) first?.resolve(DONE);
    else first?.reject(error);
    this.#dismiss();
  }

  next(): Promise<IteratorResult<T, undefined>> {
    const item = this.#items[this.#head];
    if (item) {
      this.#take(item);
      return Promise.resolve(item);
    }
    if (this.#end) return this.#finish(this.#end.error);
    return new Promise((resolve, reject) => this.#asked.push({ resolve, reject }));
  }

  return(): Promise<IteratorReturnResult<undefined>> {
    this.clear();
    this.#end = { error: undefined };
    this.#dismiss();
    return Promise.resolve(DONE);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Drops what waits, and any hold with it. */
  clear(): void {
    this.#items = [];
    this.#head = 0;
    this.#bytes = 0;
    this.#letGo();
  }

  #take(item: Waiting<T>): void {
    this.#bytes -= item.size;
    // The item itself is let go at once, its slot later: shifting one by one would be quadratic.
    this.#items[this.#head++] = undefined;
    if (this.#head === this.#items.length) return this.clear();
    if (this.#release && !this.#isOver(0.5)) this.#letGo();
    if (this.#head >= Math.max(COMPACT_SLOTS, this.#items.length / 2)) this.#compact();
  }

  #compact(): void {
    this.#items = this.#items.slice(this.#head);
    this.#head = 0;
  }

  #dismiss(): void {
    for (const { resolve } of this.#asked.splice(0)) resolve(DONE);
  }

  #isOver(share: number): boolean {
    return (
      this.length > this.#limits.maxCount * share || this.#bytes > this.#limits.maxBytes * share
    );
  }

  #letGo(): void {
    const release = this.#release;
    this.#release = undefined;
    release?.();
  }

  #finish(error: unknown): Promise<IteratorReturnResult<undefined>> {
    if (error === undefined) return Promise.resolve(DONE);
    this.#end = { error: undefined };
    return Promise.reject(error);
  }
}
