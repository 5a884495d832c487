import { Queue } from "../../base/index.ts";

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

/** Sends that share one promise, because they wait for the same full pipe to drain. */
interface PendingSends {
  readonly sent: Promise<void>;
  chars: number;
}

/**
 * Counts how much of what was sent is still unread by the other side. Above its limit it holds reading,
 * so that a side which sends requests but reads no answers cannot fill the memory of this one.
 */
export class Backlog {
  readonly #hold: () => Release;
  readonly #limit: number;
  #chars = 0;
  #release: Release | undefined;
  #pending: PendingSends | undefined;
  /** A promise known to be settled. A pipe with room returns the same one for every send. */
  #settled: Promise<void> | undefined;

  constructor(hold: () => Release, limit: number) {
    this.#hold = hold;
    this.#limit = limit;
  }

  /** How many characters were sent and are not yet read. */
  get chars(): number {
    return this.#chars;
  }

  /** Counts a message until its send has settled. */
  add(sent: Promise<void>, chars: number): void {
    if (sent === this.#settled) return;
    this.#chars += chars;
    if (this.#pending?.sent === sent) {
      this.#pending.chars += chars;
    } else {
      const pending = { sent, chars };
      this.#pending = pending;
      const settle = (): void => this.#settle(pending);
      sent.then(settle, settle);
    }
    if (this.#chars > this.#limit) this.#release ??= this.#hold();
  }

  #settle(pending: PendingSends): void {
    this.#chars -= pending.chars;
    this.#settled = pending.sent;
    if (this.#pending === pending) this.#pending = undefined;
    if (this.#chars >= this.#limit / 2) return;
    this.#release?.();
    this.#release = undefined;
  }
}
