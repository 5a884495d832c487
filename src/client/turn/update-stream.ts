import { UpdatesLostError } from "../errors.ts";

/** One item on its way to readers; it is handed out as the iterator's result as it stands. */
export interface Entry<T> extends IteratorYieldResult<T> {
  readonly done: false;
  /** About how many bytes it took on the wire. */
  readonly size: number;
}

/** How much may wait for one reader. */
export interface BufferLimits {
  readonly updates: number;
  readonly bytes: number;
}

/**
 * A reader whose owner is behind may hold the connection only while nobody else waits for it. When
 * somebody does, its backlog grows instead, up to this many times its limits; then it has lost.
 */
const HARD_FACTOR = 64;
const HARD_BYTES_FACTOR = 4;

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * Items that nobody reads are dropped many at a time, at this multiple of the limit: one by one would
 * cost every update of a session that nobody follows. What is handed out keeps to the limit.
 */
const UNREAD_SLACK = 1.25;

/** Consumed slots are given back now and then: shifting item by item would be quadratic. */
const COMPACT_AT = 4096;

/**
 * The queue between one ordered stream and one consumer.
 *
 * Until the consumer asks for its first item, the last items are kept and older ones are dropped and
 * counted. From then on nothing is dropped: past its limits the reader is `behind`, and what that
 * means is its owner's to decide.
 */
export class UpdateReader<T> implements AsyncIterableIterator<T, undefined> {
  readonly #limits: BufferLimits;
  readonly #moved: () => void;
  readonly #left: (() => void) | undefined;
  /** How many items may wait before something has to be done about it. */
  #room: number;
  #items: (Entry<T> | undefined)[] = [];
  #head = 0;
  #bytes = 0;
  #active = false;
  #behind = false;
  #dropped = 0;
  #lost = 0;
  #end: { readonly error: Error | undefined } | undefined;
  #waiting: Waiting<T> | undefined;

  /** `moved` is told when `active` or `behind` changes, `left` when the consumer leaves before the end. */
  constructor(limits: BufferLimits, moved: () => void, left?: () => void) {
    this.#limits = limits;
    this.#room = limits.updates * UNREAD_SLACK;
    this.#moved = moved;
    this.#left = left;
  }

  /** True once the consumer has asked for an item. */
  get active(): boolean {
    return this.#active;
  }

  /** True while more waits than the limits allow. */
  get behind(): boolean {
    return this.#behind;
  }

  /** How many items were dropped because nobody read. */
  get dropped(): number {
    if (!this.#active) this.#dropOldest();
    return this.#dropped;
  }

  /** How many items wait. */
  get length(): number {
    return this.#items.length - this.#head;
  }

  push(entry: Entry<T>): void {
    const waiting = this.#waiting;
    if (waiting) {
      this.#waiting = undefined;
      waiting.resolve(entry);
      return;
    }
    if (this.#end) return;
    this.#items.push(entry);
    this.#bytes += entry.size;
    if (this.length > this.#room || this.#bytes > this.#limits.bytes) this.#overflow();
  }

  /** No more items come. What waits is still delivered; then the error is thrown, if there is one. */
  end(error?: Error): void {
    if (this.#end) return;
    this.#end = { error };
    this.#setBehind(false);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) this.#finish().then(waiting.resolve, waiting.reject);
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (!this.#active) this.#activate();
    const item = this.#items[this.#head];
    if (item) {
      this.#take(item);
      return Promise.resolve(item);
    }
    return this.#wait();
  }

  return(): Promise<IteratorReturnResult<undefined>> {
    const early = this.#end === undefined;
    this.#clear();
    this.#lost = 0;
    this.end();
    this.#end = { error: undefined };
    if (early) this.#left?.();
    return Promise.resolve(DONE);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #activate(): void {
    this.#dropOldest();
    this.#active = true;
    this.#room = this.#limits.updates;
    this.#moved();
  }

  #wait(): Promise<IteratorResult<T, undefined>> {
    if (this.#lost > 0 || this.#end) return this.#finish();
    // Asked twice without waiting in between: the second gets what comes after the first's.
    if (this.#waiting) return this.#waiting.promise.then(() => this.next());
    this.#waiting = newWaiting();
    return this.#waiting.promise;
  }

  #take(item: Entry<T>): void {
    this.#bytes -= item.size;
    this.#items[this.#head++] = undefined;
    if (this.#head === this.#items.length) this.#clear();
    else if (this.#head >= COMPACT_AT) this.#compact();
    if (this.#behind && this.#isBelowHalf()) this.#setBehind(false);
  }

  #overflow(): void {
    if (!this.#active) this.#dropOldest();
    else if (this.#lost > 0 || this.#isPastTheHardLimit()) this.#lose();
    else this.#setBehind(true);
  }

  #dropOldest(): void {
    const { updates, bytes } = this.#limits;
    while (this.length > 1 && (this.length > updates || this.#bytes > bytes)) {
      this.#bytes -= this.#items[this.#head++]?.size ?? 0;
      this.#dropped++;
    }
    this.#compact();
  }

  /** What waits is whole and is still delivered; from the gap on there is only the error. */
  #lose(): void {
    const newest = this.#items.pop();
    this.#bytes -= newest?.size ?? 0;
    this.#lost++;
    this.#setBehind(false);
  }

  #isPastTheHardLimit(): boolean {
    const { updates, bytes } = this.#limits;
    return this.length > updates * HARD_FACTOR || this.#bytes > bytes * HARD_BYTES_FACTOR;
  }

  #isBelowHalf(): boolean {
    const { updates, bytes } = this.#limits;
    return this.length <= updates / 2 && this.#bytes <= bytes / 2;
  }

  #setBehind(behind: boolean): void {
    if (this.#behind === behind) return;
    this.#behind = behind;
    this.#moved();
  }

  #compact(): void {
    if (this.#head === 0) return;
    this.#items = this.#items.slice(this.#head);
    this.#head = 0;
  }

  #clear(): void {
    this.#items = [];
    this.#head = 0;
    this.#bytes = 0;
  }

  /** An error is thrown once; after it the iterator is done, as generators are. */
  #finish(): Promise<IteratorReturnResult<undefined>> {
    const error = this.#lost > 0 ? new UpdatesLostError(this.#lost) : this.#end?.error;
    this.#lost = 0;
    this.#end = { error: undefined };
    return error === undefined ? Promise.resolve(DONE) : Promise.reject(error);
  }
}

interface Waiting<T> {
  readonly promise: Promise<IteratorResult<T, undefined>>;
  readonly resolve: (result: IteratorResult<T, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

function newWaiting<T>(): Waiting<T> {
  let resolve: Waiting<T>["resolve"] = () => {};
  let reject: Waiting<T>["reject"] = () => {};
  const promise = new Promise<IteratorResult<T, undefined>>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
