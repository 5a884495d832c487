import { deferred } from "../../../base/index.ts";
import type { Channel } from "../channel.ts";
import { Acceptor, type Listener, type ListenerOptions } from "./listener.ts";
import { webSocketChannel, type WebSocketChannelOptions, type WebSocketLike } from "./websocket.ts";

/** The part of a `WebSocketServer` of the `ws` package that a listener uses. */
export interface WebSocketServerLike {
  on(
    event: "connection",
    listener: (socket: WebSocketLike, request: WebSocketRequest) => void,
  ): unknown;
  on(event: "close", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  close(): void;
}

/** The HTTP request that a connection began with. */
interface WebSocketRequest {
  /** Its headers, with lower-case names. */
  readonly headers: {
    /** The page that the connection comes from; browsers always send it. */
    readonly origin?: string | undefined;
  };
}

/** Options of {@link webSocketListener}. */
export interface WebSocketListenerOptions extends WebSocketChannelOptions, ListenerOptions {
  /**
   * The web pages that may connect, as origins such as `https://example.com`, or `"any"`. Default:
   * none. A browser lets every page connect to every server on the user's machine, and only the origin
   * tells them apart. Programs that are not browsers send no origin and may always connect.
   */
  readonly origins?: readonly string[] | "any" | undefined;
}

/** The close codes for connections that are refused. */
const POLICY_VIOLATION = 1008;
const TRY_AGAIN_LATER = 1013;

/**
 * Turns the connections of a `WebSocketServer` of the `ws` package into channels. `close` also closes
 * that server, but not an HTTP server that was passed to it.
 *
 * It closes connections from web pages that `origins` does not list with the code 1008, and those
 * above `maxConnections` with 1013.
 */
export function webSocketListener(
  server: WebSocketServerLike,
  options: WebSocketListenerOptions = {},
): Listener {
  return new WebSocketListener(server, options);
}

class WebSocketListener implements Listener {
  readonly #closed = deferred<Error | undefined>();
  readonly closed = this.#closed.promise;
  readonly #server: WebSocketServerLike;
  readonly #options: WebSocketListenerOptions;
  readonly #acceptor: Acceptor;

  constructor(server: WebSocketServerLike, options: WebSocketListenerOptions) {
    this.#server = server;
    this.#options = options;
    this.#acceptor = new Acceptor(options);
    server.on("connection", (socket, request) => this.#connection(socket, request));
    server.on("close", () => this.#stop());
    server.on("error", (error) => this.#stop(error));
  }

  open(accept: (channel: Channel) => void): void {
    this.#acceptor.open(accept);
  }

  close(): Promise<void> {
    this.#server.close();
    this.#stop();
    return Promise.resolve();
  }

  #connection(socket: WebSocketLike, { headers }: WebSocketRequest): void {
    if (!isAllowed(headers.origin, this.#options.origins)) {
      refuse(socket, POLICY_VIOLATION, "web pages of this origin may not connect");
    } else if (this.#acceptor.isFull) {
      refuse(socket, TRY_AGAIN_LATER, "too many connections");
    } else {
      this.#acceptor.add(webSocketChannel(socket, this.#options));
    }
  }

  #stop(error?: Error): void {
    this.#acceptor.close();
    this.#closed.resolve(error);
  }
}

function isAllowed(
  origin: string | undefined,
  origins: WebSocketListenerOptions["origins"] = [],
): boolean {
  return origin === undefined || origins === "any" || origins.includes(origin);
}

/** Without a listener, an error of the socket would end the process. */
function refuse(socket: WebSocketLike, code: number, reason: string): void {
  socket.addEventListener("error", () => {});
  socket.close(code, reason);
}
