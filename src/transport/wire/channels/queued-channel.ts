import { DragomanError, deferred, toError } from "../../../base/index.ts";
import type { Channel, CloseReason } from "../channel.ts";

/** How much may wait in a channel that cannot stop the other side from sending: 64 MiB. */
export const DEFAULT_MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/** Besides its text, a waiting line costs roughly this much, so tiny lines are bounded too. */
export const LINE_OVERHEAD = 64;

/**
 * The other side kept sending while this side did not read, and the connection has no means to stop
 * it. The channel closes with this error.
 */
export class UnreadLimitError extends DragomanError {
  override readonly name = "UnreadLimitError";
  /** How much may wait to be read, roughly in bytes. */
  readonly limit: number;

  /** Describes a limit, in bytes, that was exceeded. */
  constructor(limit: number) {
    super("limit_exceeded", `more than ${limit} bytes arrived while this side was not reading`);
    this.limit = limit;
  }
}

/**
 * A message as one line. JSON has line breaks only between tokens, where a space means the same. The
 * result is empty if there is nothing else.
 */
export function toLine(message: string): string {
  return /[\r\n]/.test(message) ? message.replaceAll(/[\r\n]+/g, " ").trim() : message;
}

/**
 * A channel whose lines arrive as whole messages. They wait until it is opened or resumed. A line that
 * finds it open, running and without waiting lines is delivered at once.
 */
export abstract class QueuedChannel implements Channel {
  readonly #closed = deferred<CloseReason>();
  readonly closed = this.#closed.promise;
  readonly #limit: number;
  #receive: ((line: string) => void) | undefined;
  #lines: string[] = [];
  #size = 0;
  #isPaused = false;
  #isScheduled = false;
  #isDiscarding = false;
  #atEnd: (() => void) | undefined;

  /** `limit` is how much may wait, roughly in bytes. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  open(receive: (line: string) => void): void {
    if (this.#receive) throw new Error("the channel is already open");
    this.#receive = receive;
    this.#schedule();
    this.flow();
  }

  pause(): void {
    this.#isPaused = true;
    this.flow();
  }

  resume(): void {
    this.#isPaused = false;
    this.#schedule();
    this.flow();
  }

  abstract send(line: string): Promise<void>;
  abstract close(): Promise<CloseReason>;

  /** Fails the channel: with an UnreadLimitError, or with the error of a receiver that threw. */
  protected abstract fail(error: Error): void;

  /** Called when lines have to wait, or need not wait anymore. */
  protected flow(): void {}

  /** Called with the length of each line that was delivered. */
  protected delivered(_size: number): void {}

  /** Whether arriving lines have to wait. */
  protected get isHeld(): boolean {
    return !this.#isDiscarding && (this.#isPaused || !this.#receive);
  }

  protected push(line: string): void {
    if (this.#isDiscarding || this.#atEnd) return;
    if (!this.isHeld && this.#lines.length === 0) {
      this.#deliverLine(line);
      return;
    }
    // A single line may be as long as the limit for lines allows, even if this limit is lower.
    const size = this.#size + line.length + LINE_OVERHEAD;
    if (this.#lines.length > 0 && size > this.#limit) {
      this.#discard();
      this.fail(new UnreadLimitError(this.#limit));
      return;
    }
    this.#lines.push(line);
    this.#size = size;
  }

  /** No more lines arrive. `atEnd` is called once the waiting ones have been delivered. */
  protected end(atEnd: () => void): void {
    if (this.#isDiscarding || this.#atEnd) return;
    this.#atEnd = atEnd;
    this.#schedule();
  }

  /** Settles `closed`: now, or after the waiting lines were delivered. */
  protected finish(reason: CloseReason, afterDelivery: boolean): void {
    const settle = (): void => this.#closed.resolve(reason);
    if (afterDelivery) return this.end(settle);
    settle();
    this.#discard();
  }

  /** Drops the waiting lines and all that arrive later. */
  #discard(): void {
    this.#isDiscarding = true;
    this.#lines = [];
    this.#size = 0;
  }

  /** Never delivers in the same tick: the caller may be in the middle of its own work. */
  #schedule(): void {
    if (this.#isScheduled || this.isHeld) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#deliver();
    });
  }

  #deliver(): void {
    let delivered = 0;
    while (!this.isHeld && delivered < this.#lines.length) {
      const line = this.#lines[delivered++];
      if (line === undefined) continue;
      this.#size -= line.length + LINE_OVERHEAD;
      this.#deliverLine(line);
    }
    this.#lines.splice(0, delivered);
    if (!this.#atEnd || this.#isDiscarding || this.isHeld || this.#lines.length > 0) return;
    this.#discard();
    this.#atEnd();
  }

  #deliverLine(line: string): void {
    try {
      this.#receive?.(line);
    } catch (error) {
      this.#discard();
      this.fail(toError(error));
      return;
    }
    this.delivered(line.length);
  }
}
