import { deferred, quiet, toError, type Deferred, immediately } from "../../../base/index.ts";
import { ChannelClosedError, type Channel, type CloseReason } from "../channel.ts";

/** How many lines may be queued in one direction before the sender has to wait. */
const HIGH_WATER_LINES = 256;

/** Creates two channels connected in memory. Lines arrive in order, never in the same tick. */
export function memoryPair(): [Channel, Channel] {
  const left = new MemoryChannel();
  const right = new MemoryChannel();
  left.join(right);
  right.join(left);
  return [left, right];
}

class MemoryChannel implements Channel {
  readonly #closed = deferred<CloseReason>();
  readonly closed = this.#closed.promise;
  #other: MemoryChannel = this;
  #receive: ((line: string) => void) | undefined;
  #queue: string[] = [];
  /** Sends from the other side that wait for space in the queue. */
  #waiting: Deferred<void>[] = [];
  #scheduled = false;
  #paused = false;
  #otherEnded = false;
  #done = false;

  join(other: MemoryChannel): void {
    this.#other = other;
  }

  open(receive: (line: string) => void): void {
    if (this.#receive) throw new Error("the channel is already open");
    this.#receive = receive;
    this.#schedule();
  }

  send(line: string): Promise<void> {
    const other = this.#other;
    if (this.#done || other.#done) return quiet(Promise.reject(new ChannelClosedError()));
    return other.#accept(line);
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#schedule();
  }

  close(): Promise<CloseReason> {
    this.#finish({ kind: "closed" });
    return this.closed;
  }

  #accept(line: string): Promise<void> {
    this.#queue.push(line);
    this.#schedule();
    if (this.#queue.length < HIGH_WATER_LINES) return Promise.resolve();
    const room = deferred();
    this.#waiting.push(room);
    return quiet(room.promise);
  }

  #schedule(): void {
    if (this.#scheduled || this.#paused || !this.#receive) return;
    this.#scheduled = true;
    immediately(() => this.#deliver());
  }

  #deliver(): void {
    this.#scheduled = false;
    let delivered = 0;
    while (!this.#paused && !this.#done && delivered < this.#queue.length) {
      const line = this.#queue[delivered++];
      if (line !== undefined) this.#deliverLine(line);
    }
    this.#queue.splice(0, delivered);
    if (this.#queue.length < HIGH_WATER_LINES) {
      for (const { resolve } of this.#waiting.splice(0)) resolve();
    }
    if (this.#queue.length > 0) this.#schedule();
    else if (this.#otherEnded) this.#finish({ kind: "ended" });
  }

  #deliverLine(line: string): void {
    try {
      this.#receive?.(line);
    } catch (error) {
      this.#finish({ kind: "failed", error: toError(error) });
    }
  }

  /** Lines already sent are still delivered. An unopened channel ends once it is opened. */
  #endOfInput(): void {
    this.#otherEnded = true;
    this.#schedule();
  }

  #finish(reason: CloseReason): void {
    if (this.#done) return;
    this.#done = true;
    this.#closed.resolve(reason);
    this.#queue = [];
    const other = this.#other;
    for (const { reject } of [...this.#waiting.splice(0), ...other.#waiting.splice(0)]) {
      reject(new ChannelClosedError());
    }
    other.#endOfInput();
  }
}
