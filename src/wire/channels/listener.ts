import { callSafely } from "../async.ts";
import type { Channel } from "../channel.ts";

/** Accepts connections and turns each into a channel. */
export interface Listener {
  /**
   * Starts handing over connections, each as a channel that is not yet open. Connections that were
   * made before are handed over too. Throws if it was called before.
   */
  open(accept: (channel: Channel) => void): void;
  /** Stops accepting connections and frees the address. Open channels stay open. */
  close(): Promise<void>;
  /** Resolves when it has stopped: with an error if it failed, otherwise with undefined. */
  readonly closed: Promise<Error | undefined>;
}

/** Options of every listener. */
export interface ListenerOptions {
  /** How many connections may be open at once. Further ones are closed at once. Default: 256. */
  readonly maxConnections?: number | undefined;
}

const DEFAULT_MAX_CONNECTIONS = 256;

/** Counts the channels of a listener and keeps those that wait for it to be opened. */
export class Acceptor<C extends Channel = Channel> {
  readonly #limit: number;
  #accept: ((channel: C) => void) | undefined;
  #waiting: C[] = [];
  #connections = 0;

  constructor({ maxConnections }: ListenerOptions) {
    this.#limit = maxConnections ?? DEFAULT_MAX_CONNECTIONS;
  }

  /** Whether another connection has to be refused. */
  get isFull(): boolean {
    return this.#connections >= this.#limit;
  }

  /** Hands a channel over, now or when the listener is opened. */
  add(channel: C): void {
    this.#connections++;
    void channel.closed.then(() => this.#connections--);
    if (this.#accept) this.#accept(channel);
    else this.#waiting.push(channel);
  }

  /** Starts handing over. Throws if it was called before. */
  open(accept: (channel: C) => void): void {
    if (this.#accept) throw new Error("the listener is already open");
    this.#accept = accept;
    for (const channel of this.#waiting.splice(0)) accept(channel);
  }

  /** Closes the channels that were never handed over. */
  close(): void {
    for (const channel of this.#waiting.splice(0)) callSafely(() => channel.close());
  }
}
