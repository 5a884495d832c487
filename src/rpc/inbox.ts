import { Queue } from "../wire/index.ts";

/** Ends one hold on reading from a connection. */
export type Release = () => void;

export interface InboxLimits {
  /** How many items may wait before reading is held. */
  readonly maxCount: number;
  /** How many bytes may wait before reading is held. */
  readonly maxBytes: number;
}

export const DEFAULT_INBOX_LIMITS: InboxLimits = { maxCount: 1024, maxBytes: 8 * 1024 * 1024 };

/**
 * A queue between a connection and a consumer that may be slower.
 *
 * Above its limits it holds reading from the connection, and releases it once the consumer has taken
 * half of the items. It is iterated once; leaving the loop drops the rest.
 */
export class Inbox<T> extends Queue<T> {
  readonly #limits: InboxLimits;
  readonly #hold: () => Release;
  readonly #onLeave: (() => void) | undefined;
  #release: Release | undefined;

  /** Calls `hold` to stop reading, and `onLeave` when the consumer leaves the loop before the end. */
  constructor(hold: () => Release, limits: Partial<InboxLimits> = {}, onLeave?: () => void) {
    super();
    this.#hold = hold;
    this.#onLeave = onLeave;
    this.#limits = { ...DEFAULT_INBOX_LIMITS, ...limits };
  }

  /** Adds an item of about `size` bytes. After the end, the item is dropped. */
  push(value: T, size = 0): void {
    this.add({ done: false, value, size });
  }

  override end(error?: unknown): void {
    this.#resumeReading();
    super.end(error);
  }

  /** Drops every waiting item and releases the connection. */
  override clear(): void {
    super.clear();
    this.#resumeReading();
  }

  protected override added(): void {
    if (!this.#release && this.#isAbove(1)) this.#release = this.#hold();
  }

  protected override left(): void {
    this.#onLeave?.();
  }

  protected override taken(): void {
    if (this.#release && !this.#isAbove(0.5)) this.#resumeReading();
  }

  #isAbove(share: number): boolean {
    const { maxCount, maxBytes } = this.#limits;
    return this.length > maxCount * share || this.bytes > maxBytes * share;
  }

  #resumeReading(): void {
    const release = this.#release;
    this.#release = undefined;
    release?.();
  }
}
