import { chmodSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { deferred, quietly, toError, unlessAborted } from "../../../base/index.ts";
import type { Channel } from "../channel.ts";
import {
  ConnectError,
  ListenError,
  Acceptor,
  type Listener,
  type ListenerOptions,
} from "./listener.ts";
import { StreamChannel, type StreamChannelOptions } from "./stream.ts";

/** Where a socket is: a TCP port, or the path of a Unix socket (on Windows, of a named pipe). */
export type SocketAddress =
  | {
      /** A name or an address. Default: 127.0.0.1. */
      readonly host?: string | undefined;
      /** The port. Use 0 to listen on any free port. */
      readonly port: number;
    }
  | {
      readonly path: string;
    };

/** Options of {@link connectSocket}. */
export interface ConnectSocketOptions extends StreamChannelOptions {
  /** Gives up connecting. It has no effect on a connection that was made. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of {@link listenSocket}. */
export interface ListenSocketOptions extends StreamChannelOptions, ListenerOptions {}

/** A server on a TCP port or a Unix socket. */
export interface SocketListener extends Listener {
  /** Where it listens, with the actual port. */
  readonly address: SocketAddress;
}

const LOOPBACK = "127.0.0.1";

/** How long a connection may be silent before the system asks whether the other machine is alive. */
const KEEP_ALIVE_MS = 30_000;

/**
 * Connects to a TCP port or a Unix socket. Each line ends in a newline. Rejects with a
 * ConnectError that names the address, or with the signal's reason.
 */
export function connectSocket(
  address: SocketAddress,
  options: ConnectSocketOptions = {},
): Promise<Channel> {
  return quietly(async () => {
    options.signal?.throwIfAborted();
    const socket = connect(optionsFor(address));
    const connected = new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", (error) => reject(new ConnectError(describeAddress(address), error)));
    });
    try {
      await (options.signal ? unlessAborted(connected, options.signal) : connected);
    } catch (error) {
      socket.destroy();
      throw error;
    }
    return new StreamChannel(socket, socket, options);
  });
}

/**
 * Listens on a TCP port or a Unix socket. Only this user may connect to the Unix socket, but every
 * user of this machine may connect to a port. Rejects with a ListenError that names the
 * address.
 */
export function listenSocket(
  address: SocketAddress,
  options: ListenSocketOptions = {},
): Promise<SocketListener> {
  return quietly(async () => {
    const server = createServer({ pauseOnConnect: true });
    try {
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen(optionsFor(address), resolve);
      });
      if ("path" in address && process.platform !== "win32") chmodSync(address.path, 0o600);
    } catch (error) {
      server.close();
      throw new ListenError(describeAddress(address), toError(error));
    }
    return new ServerListener(server, actualAddress(address, server), options);
  });
}

class ServerListener implements SocketListener {
  readonly address: SocketAddress;
  readonly #closed = deferred<Error | undefined>();
  readonly closed = this.#closed.promise;
  readonly #server: Server;
  readonly #options: ListenSocketOptions;
  readonly #acceptor: Acceptor;

  constructor(server: Server, address: SocketAddress, options: ListenSocketOptions) {
    this.address = address;
    this.#server = server;
    this.#options = options;
    this.#acceptor = new Acceptor(options);
    server.on("connection", (socket) => this.#connection(socket));
    server.on("error", (error) => this.#stop(new ListenError(describeAddress(address), error)));
  }

  open(accept: (channel: Channel) => void): void {
    this.#acceptor.open(accept);
  }

  async close(): Promise<void> {
    this.#stop();
    // The server's own event would wait for its connections; the address is free in the next turn of
    // the event loop.
    await new Promise(setImmediate);
  }

  #connection(socket: Socket): void {
    if (this.#acceptor.isFull) {
      socket.destroy();
      return;
    }
    if (!("path" in this.address)) {
      socket.setNoDelay(true);
      socket.setKeepAlive(true, KEEP_ALIVE_MS);
    }
    this.#acceptor.add(new StreamChannel(socket, socket, this.#options));
  }

  #stop(error?: Error): void {
    this.#server.close();
    this.#acceptor.close();
    this.#closed.resolve(error);
  }
}

function optionsFor(address: SocketAddress) {
  if ("path" in address) return { path: address.path };
  const { host = LOOPBACK, port } = address;
  return { host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS };
}

function describeAddress(address: SocketAddress): string {
  return "path" in address ? address.path : `${address.host ?? LOOPBACK}:${address.port}`;
}

/** The port that the system chose. */
function actualAddress(address: SocketAddress, server: Server): SocketAddress {
  const actual = server.address();
  if ("path" in address || actual === null || typeof actual === "string") return address;
  return { host: actual.address, port: actual.port };
}
