import type { IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import { Server as HttpsServer } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import { createHttpServer, limitSockets, listenOn } from "../../../transport/remote/index.ts";
import { within } from "../../../base/index.ts";
import { ListenError } from "../../../transport/wire/index.ts";
import type { TlsCredentials } from "./options.ts";

interface RequestHandlers {
  request(request: IncomingMessage, response: ServerResponse): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

export interface HttpServersOptions extends RequestHandlers {
  readonly addresses: readonly string[];
  readonly port: number;
  readonly tls: TlsCredentials | undefined;
  readonly headersMs: number | undefined;
  readonly bodyMs: number | undefined;
  readonly maxConnections: number | undefined;
}

/** How often a free port is looked for on all addresses. */
const PORT_ATTEMPTS = 10;
/** How long clients may take to read the last answers. */
const LAST_WORDS_MS = 2000;
const SWEEP_MS = 20;
/** This machine has no such address, as one without IPv6. */
const MISSING_ADDRESS = new Set(["EADDRNOTAVAIL", "EAFNOSUPPORT"]);

/** One server for each address, all on the same port. */
export class HttpServers {
  readonly port: number;
  readonly addresses: readonly string[];
  readonly #servers: readonly BoundServer[];

  private constructor(port: number, servers: readonly BoundServer[]) {
    this.port = port;
    this.addresses = servers.map(({ address }) => address);
    this.#servers = servers;
  }

  /** Listens. Leaves out addresses that this machine does not have. Rejects with a ListenError. */
  static async listen(options: HttpServersOptions): Promise<HttpServers> {
    for (let attempt = 1; ; attempt++) {
      const servers: BoundServer[] = [];
      let { port } = options;
      try {
        for (const [index, address] of options.addresses.entries()) {
          const isLast = index === options.addresses.length - 1;
          const server = await bound(options, address, port).catch((error: unknown) => {
            if (MISSING_ADDRESS.has(codeOf(error)) && !(isLast && servers.length === 0)) return;
            throw error;
          });
          if (!server) continue;
          servers.push(server);
          port = server.port;
        }
        return new HttpServers(port, servers);
      } catch (error) {
        await Promise.all(servers.map((server) => server.close(0)));
        // The free port of one address may be taken on another.
        const mayRetry = options.port === 0 && codeOf(error) === "EADDRINUSE";
        if (!mayRetry || attempt === PORT_ATTEMPTS) throw error;
      }
    }
  }

  /** Uses another certificate for new connections. Throws if it does not fit its key. */
  setCredentials(tls: TlsCredentials): void {
    for (const server of this.#servers) server.setCredentials(tls);
  }

  /** Stops listening, lets clients read the last answers, and ends what is left. */
  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close(LAST_WORDS_MS)));
  }
}

class BoundServer {
  readonly address: string;
  readonly #server: HttpServer | HttpsServer;
  /** All connections. Those that were upgraded are not among the ones that a server ends itself. */
  readonly #sockets = new Set<Duplex>();
  /** The answers and the upgraded connections of each socket. */
  readonly #uses = new Map<Duplex, number>();
  port = 0;

  constructor(address: string, server: HttpServer | HttpsServer, handlers: RequestHandlers) {
    this.address = address;
    this.#server = server;
    server.on("connection", (socket: Socket) => this.#keep(socket));
    server.on("secureConnection", (socket: Socket) => this.#keep(socket));
    server.on("request", (request, response) => {
      this.#use(request.socket, response);
      handlers.request(request, response);
    });
    server.on("upgrade", (request, socket, head) => {
      this.#use(request.socket, socket);
      handlers.upgrade(request, socket, head);
    });
  }

  async listen(port: number): Promise<void> {
    this.port = await listenOn(this.#server, this.address, port);
  }

  setCredentials(tls: TlsCredentials): void {
    if (this.#server instanceof HttpsServer) this.#server.setSecureContext({ ...tls });
  }

  async close(ms: number): Promise<void> {
    const closed = new Promise((resolve) => {
      this.#server.close(resolve);
    });
    this.#endUnused();
    const sweeping = setInterval(() => this.#endUnused(), SWEEP_MS);
    const isDone = await within(closed, ms);
    clearInterval(sweeping);
    if (isDone) return;
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #keep(socket: Duplex): void {
    this.#sockets.add(socket);
    this.#uses.set(socket, 0);
    socket.once("close", () => {
      this.#sockets.delete(socket);
      this.#uses.delete(socket);
    });
  }

  #use(socket: Duplex, use: { once(event: "close", listener: () => void): unknown }): void {
    this.#uses.set(socket, (this.#uses.get(socket) ?? 0) + 1);
    use.once("close", () => {
      const left = (this.#uses.get(socket) ?? 1) - 1;
      if (this.#uses.has(socket)) this.#uses.set(socket, left);
    });
  }

  /** Ends connections that wait for a next request. For TLS, that is the encrypted one of the two. */
  #endUnused(): void {
    const isEncrypted = this.#server instanceof HttpsServer;
    for (const [socket, uses] of this.#uses) {
      if (uses === 0 && (!isEncrypted || socket instanceof TLSSocket)) socket.destroy();
    }
  }
}

async function bound(
  options: HttpServersOptions,
  address: string,
  port: number,
): Promise<BoundServer> {
  const { tls, headersMs, bodyMs, maxConnections } = options;
  const server = await createHttpServer({ tls, headersMs, bodyMs });
  limitSockets(server, maxConnections);
  const found = new BoundServer(address, server, options);
  await found.listen(port);
  return found;
}

function codeOf(error: unknown): string {
  return (error instanceof ListenError ? error.systemCode : undefined) ?? "";
}
