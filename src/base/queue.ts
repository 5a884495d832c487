import { deferred, quiet, type Deferred } from "./async.ts";

/**
 * Values in order, read once, by a `for await` loop or with `next`.
 *
 * `AsyncIterableIterator<T, undefined>` would say the same, but before TypeScript 5.6 it takes one
 * type parameter, and a user's compiler would treat it as `any`.
 */
export interface AsyncStream<T> extends AsyncIterator<T, undefined> {
  /** Returns the stream itself: it can be read only once. */
  [Symbol.asyncIterator](): AsyncStream<T>;
}

/** An item in a queue, in the shape in which the iterator hands it out. */
export interface QueuedItem<T> extends IteratorYieldResult<T> {
  readonly done: false;
  /** Roughly how many bytes the item took on the wire. */
  readonly size: number;
}

/** Slots of consumed items are freed in blocks this large, because shifting is quadratic. */
const COMPACT_SLOTS = 4096;

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * The core of every queue between an ordered stream and a consumer that may be slower. It counts
 * items and bytes; a subclass decides what happens when there are too many.
 *
 * After `end`, the consumer still gets the waiting items, then the error once, and then `done`.
 */
export abstract class Queue<T> implements AsyncStream<T> {
  #items: (QueuedItem<T> | undefined)[] = [];
  #head = 0;
  #bytes = 0;
  #end: { readonly error: unknown } | undefined;
  readonly #consumers: Deferred<IteratorResult<T, undefined>>[] = [];

  get length(): number {
    return this.#items.length - this.#head;
  }

  /** Roughly how many bytes are waiting. */
  get bytes(): number {
    return this.#bytes;
  }

  /** True once `end` or `return` was called. */
  protected get ended(): boolean {
    return this.#end !== undefined;
  }

  /** Called after an item joined the queue, but not if it went straight to a waiting consumer. */
  protected abstract added(): void;

  /** Called after a consumer took an item out of the queue. */
  protected abstract taken(): void;

  /** Called when the consumer leaves the loop before the end. */
  protected left(): void {}

  /** Ends the queue. Waiting items are still delivered; then the error, if any, is thrown once. */
  end(error?: unknown): void {
    if (this.#end) return;
    const first = this.#consumers.shift();
    this.#end = { error: first ? undefined : error };
    if (first && error === undefined) first.resolve(DONE);
    else if (first) {
      // Made quiet only now: a listener for every item would slow down each of them.
      void quiet(first.promise);
      first.reject(error);
    }
    this.#dismissConsumers();
  }

  next(): Promise<IteratorResult<T, undefined>> {
    const item = this.#items[this.#head];
    if (item) {
      this.#take(item);
      return Promise.resolve(item);
    }
    if (this.#end) return this.#finish(this.#end.error);
    const consumer = deferred<IteratorResult<T, undefined>>();
    this.#consumers.push(consumer);
    return consumer.promise;
  }

  return(): Promise<IteratorReturnResult<undefined>> {
    const isEarly = this.#end === undefined;
    this.clear();
    this.#end = { error: undefined };
    this.#dismissConsumers();
    if (isEarly) this.left();
    return Promise.resolve(DONE);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  clear(): void {
    this.#items = [];
    this.#head = 0;
    this.#bytes = 0;
  }

  /** Adds an item, or passes it to a waiting consumer. After the end, the item is dropped. */
  protected add(item: QueuedItem<T>): void {
    if (this.#end) return;
    if (this.#consumers.length > 0) {
      this.#consumers.shift()?.resolve(item);
      return;
    }
    this.#items.push(item);
    this.#bytes += item.size;
    this.added();
  }

  protected dropNewest(): void {
    this.#bytes -= this.#items.pop()?.size ?? 0;
  }

  /** Drops the oldest items while `isTooMuch`, but keeps the newest. Returns how many. */
  protected dropOldest(isTooMuch: () => boolean): number {
    let dropped = 0;
    while (this.length > 1 && isTooMuch()) {
      this.#bytes -= this.#items[this.#head++]?.size ?? 0;
      dropped++;
    }
    if (dropped > 0) this.#compact();
    return dropped;
  }

  /** Replaces the error of the end, for a subclass that has a better one than `end` was given. */
  protected endWith(error: Error): void {
    this.#end = { error };
  }

  #take(item: QueuedItem<T>): void {
    this.#bytes -= item.size;
    // The item itself is freed now, its slot later.
    this.#items[this.#head++] = undefined;
    if (this.#head === this.#items.length) this.clear();
    else if (this.#head >= COMPACT_SLOTS && this.#head >= this.#items.length / 2) this.#compact();
    this.taken();
  }

  #compact(): void {
    this.#items = this.#items.slice(this.#head);
    this.#head = 0;
  }

  #dismissConsumers(): void {
    for (const consumer of this.#consumers.splice(0)) consumer.resolve(DONE);
  }

  #finish(error: unknown): Promise<IteratorReturnResult<undefined>> {
    if (error === undefined) return Promise.resolve(DONE);
    this.#end = { error: undefined };
    return quiet(Promise.reject(error));
  }
}
