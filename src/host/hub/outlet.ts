import { deferred, type Deferred } from "../../base/index.ts";
import type { Channel } from "../../transport/wire/index.ts";

/** What happens if much more waits than those who send should let wait. */
export interface FloodLimit {
  readonly above: number;
  /** Called until the outlet is not full anymore, when the function that it returned is called. */
  readonly hold: () => () => void;
}

/** The sending side of a channel, with the amount that the other side has not taken yet. */
export class Outlet {
  readonly #channel: Channel;
  readonly #limit: number;
  readonly #flood: FloodLimit | undefined;
  #release: (() => void) | undefined;
  #unsent = 0;
  #drained: Deferred<void> | undefined;

  /** `limit` is the number of characters from which the outlet counts as full. */
  constructor(channel: Channel, limit: number, flood?: FloodLimit) {
    this.#channel = channel;
    this.#limit = limit;
    this.#flood = flood;
    void channel.closed.then(() => this.#drain());
  }

  get isFull(): boolean {
    return this.#unsent >= this.#limit;
  }

  /** Resolves when the outlet is not full anymore, or its channel is closed. */
  get drained(): Promise<void> {
    if (!this.isFull) return Promise.resolve();
    return (this.#drained ??= deferred()).promise;
  }

  send(line: string): void {
    const size = line.length;
    this.#unsent += size;
    if (this.#flood && this.#unsent > this.#flood.above) this.#release ??= this.#flood.hold();
    const done = (): void => {
      this.#unsent -= size;
      if (!this.isFull && (this.#drained || this.#release)) this.#drain();
    };
    this.#channel.send(line).then(done, done);
  }

  #drain(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
    this.#release?.();
    this.#release = undefined;
  }
}

/** The id of the process behind a channel; undefined if there is none on this machine. */
export function processIdOf(channel: Channel): number | undefined {
  return "pid" in channel && typeof channel.pid === "number" ? channel.pid : undefined;
}
