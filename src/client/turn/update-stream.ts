import { Queue, type QueuedItem } from "../../base/index.ts";
import { UpdatesLostError } from "../errors.ts";

/** How much may wait for one reader. */
export interface BufferLimits {
  /** The most updates. */
  readonly updates: number;
  /** The most bytes, as they came over the wire. */
  readonly bytes: number;
}

/**
 * A reader that falls behind may hold the connection only while nothing else waits for it. Otherwise
 * its backlog grows, up to this many times its limits; beyond that, updates are lost.
 */
const HARD_FACTOR = 64;
const HARD_BYTES_FACTOR = 4;

/**
 * Items that have no reader are dropped in bulk, at this multiple of the limit: dropping them one by
 * one would slow down every update of a session that nothing reads.
 */
const UNREAD_SLACK = 1.25;

/**
 * The queue between one ordered stream and one consumer.
 *
 * Until the consumer asks for its first item, the queue keeps the newest items; it drops and counts
 * older ones. From then on it drops nothing: above its limits the reader is `behind`, and its owner
 * decides what that means.
 */
export class UpdateReader<T> extends Queue<T> {
  readonly #limits: BufferLimits;
  readonly #onChange: () => void;
  readonly #onLeave: (() => void) | undefined;
  /** How many items may wait before something has to be done about it. */
  #room: number;
  #active = false;
  #behind = false;
  #dropped = 0;
  #lost = 0;

  /** `onChange`: `active` or `behind` changed. `onLeave`: the consumer left the loop before the end. */
  constructor(limits: BufferLimits, onChange: () => void, onLeave?: () => void) {
    super();
    this.#limits = limits;
    this.#room = limits.updates * UNREAD_SLACK;
    this.#onChange = onChange;
    this.#onLeave = onLeave;
  }

  /** True once the consumer has asked for an item. */
  get active(): boolean {
    return this.#active;
  }

  /** True while more items wait than the limits allow. */
  get behind(): boolean {
    return this.#behind;
  }

  /** How many items were dropped because nothing read them. */
  get dropped(): number {
    if (!this.#active) this.#dropUnread();
    return this.#dropped;
  }

  push(item: QueuedItem<T>): void {
    // After a gap, the consumer gets nothing but the error.
    if (this.#lost > 0) this.#lost++;
    else this.add(item);
  }

  override end(error?: unknown): void {
    if (!this.ended) this.#setBehind(false);
    super.end(error);
  }

  override next(): Promise<IteratorResult<T, undefined>> {
    if (!this.#active) this.#activate();
    if (this.#lost > 0 && this.length === 0) {
      this.endWith(new UpdatesLostError(this.#lost));
      this.#lost = 0;
    }
    return super.next();
  }

  override return(): Promise<IteratorReturnResult<undefined>> {
    this.#lost = 0;
    this.#setBehind(false);
    return super.return();
  }

  protected override added(): void {
    if (this.length <= this.#room && this.bytes <= this.#limits.bytes) return;
    if (!this.#active) this.#dropUnread();
    else if (this.#isAboveHardLimit()) this.#lose();
    else this.#setBehind(true);
  }

  protected override left(): void {
    this.#onLeave?.();
  }

  protected override taken(): void {
    if (this.#behind && this.#isBelowHalf()) this.#setBehind(false);
  }

  #activate(): void {
    this.#dropUnread();
    this.#active = true;
    this.#room = this.#limits.updates;
    this.#onChange();
  }

  #dropUnread(): void {
    const { updates, bytes } = this.#limits;
    this.#dropped += this.dropOldest(() => this.length > updates || this.bytes > bytes);
  }

  /** Items that already wait are still delivered; from the gap on there is only the error. */
  #lose(): void {
    this.dropNewest();
    this.#lost++;
    this.#setBehind(false);
  }

  #isAboveHardLimit(): boolean {
    const { updates, bytes } = this.#limits;
    return this.length > updates * HARD_FACTOR || this.bytes > bytes * HARD_BYTES_FACTOR;
  }

  #isBelowHalf(): boolean {
    const { updates, bytes } = this.#limits;
    return this.length <= updates / 2 && this.bytes <= bytes / 2;
  }

  #setBehind(behind: boolean): void {
    if (this.#behind === behind) return;
    this.#behind = behind;
    this.#onChange();
  }
}
