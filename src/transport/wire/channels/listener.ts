import { DragomanError, messageOf, callSafely } from "../../../base/index.ts";
import type { Channel } from "../channel.ts";

/** No connection could be made. */
export class ConnectError extends DragomanError {
  override readonly name = "ConnectError";
  /** The address: `127.0.0.1:4711`, a path, or the address of a WebSocket without its query. */
  readonly address: string;
  /** The system's code, such as `ECONNREFUSED`; undefined if it gave none. */
  readonly systemCode: string | undefined;

  constructor(address: string, cause: Error) {
    super("connect_failed", `could not connect to ${address}: ${reasonsOf(cause)}`, { cause });
    this.address = address;
    this.systemCode = codeOf(cause);
  }
}

const UNAUTHORIZED = 401;

/** Whether a server refused a connection because the token is missing or wrong. */
export function isUnauthorized(error: unknown): boolean {
  const answer = error instanceof ConnectError ? error.cause : error;
  return answer instanceof Error && "status" in answer && answer.status === UNAUTHORIZED;
}

/** A server could not listen on its address, or stopped because it failed. */
export class ListenError extends DragomanError {
  override readonly name = "ListenError";
  /** The address: `127.0.0.1:4711`, or a path. */
  readonly address: string;
  /** The system's code, such as `EADDRINUSE`; undefined if it gave none. */
  readonly systemCode: string | undefined;

  constructor(address: string, cause: Error) {
    super("listen_failed", `could not listen on ${address}: ${reasonsOf(cause)}`, { cause });
    this.address = address;
    this.systemCode = codeOf(cause);
  }
}

/** If a name has several addresses and all fail, Node's error has one error for each and no text. */
function reasonsOf(error: Error): string {
  if (error.message !== "" || !(error instanceof AggregateError)) return error.message;
  return error.errors.map(messageOf).join("; ");
}

function codeOf(error: Error): string | undefined {
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
}

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
