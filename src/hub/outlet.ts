import { type Channel, deferred, type Deferred } from "../wire/index.ts";

/** The sending side of a channel, with the amount that the other side has not taken yet. */
export class Outlet {
  readonly #channel: Channel;
  readonly #limit: number;
  #unsent = 0;
  #drained: Deferred<void> | undefined;

  /** `limit` is the number of characters from which the outlet counts as full. */
  constructor(channel: Channel, limit: number) {
    this.#channel = channel;
    this.#limit = limit;
    void channel.closed.then(() => this.#release());
  }

  /** Whether so much waits that the sender should stop. */
  get isFull(): boolean {
    return this.#unsent >= this.#limit;
  }

  /** Resolves when the outlet is not full anymore, or its channel is closed. */
  get drained(): Promise<void> {
    if (!this.isFull) return Promise.resolve();
    return (this.#drained ??= deferred()).promise;
  }

  /** Sends a line. A closed channel drops it. */
  send(line: string): void {
    const size = line.length;
    this.#unsent += size;
    const done = (): void => {
      this.#unsent -= size;
      if (this.#drained && !this.isFull) this.#release();
    };
    this.#channel.send(line).then(done, done);
  }

  #release(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}
