import { IncomingMessage } from "node:http";
import { Duplex } from "node:stream";
import type { WebSocketServer } from "ws";
import { deferred, quietly, randomId } from "../../../base/index.ts";
import {
  Acceptor,
  headerOf,
  hostOf,
  type HttpRefusal,
  NOT_FOUND,
  targetOf,
} from "../../wire/index.ts";
import { HEADERS } from "../http/routes.ts";
import { PLAIN_PROTOCOL } from "../websocket/subprotocols.ts";
import { FULL, Gatekeeper, RateLimit, TOO_FAST } from "./gatekeeper.ts";
import { HttpRequests, type Outcome } from "./http-requests.ts";
import {
  type HttpRequestLike,
  type HttpResponseLike,
  type RemoteChannel,
  type RemoteEndpointOptions,
  type RemoteListener,
  resolveOptions,
  type ResolvedOptions,
} from "./options.ts";
import { watch, WebSocketConnection } from "./websocket-connection.ts";

/** The ACP endpoint of an HTTP server that belongs to the caller. */
export interface RemoteEndpoint<A> extends RemoteListener<A> {
  /** Answers a request. Resolves when the answer was sent, or its stream was opened. Never rejects. */
  handle(request: HttpRequestLike, response: HttpResponseLike): Promise<void>;
  /**
   * Answers an `upgrade` event of a server of `node:http` or `node:https`: with a WebSocket, or with an
   * HTTP answer that says why not. Never rejects.
   */
  upgrade(request: object, socket: object, head: Uint8Array): Promise<void>;
  /**
   * Checks a request for another route of the same server: its host, its page and its token. Resolves
   * with the value of `authorize`, or refuses the request and resolves with undefined. Never rejects.
   */
  admit(request: HttpRequestLike, response: HttpResponseLike): Promise<A | undefined>;
  /** Checks only the host and the page of such a request. Refuses it unless it returns true. */
  isInPlace(request: HttpRequestLike, response: HttpResponseLike): boolean;
}

/**
 * Creates an endpoint that serves clients over WebSocket and streamable HTTP on one path. The caller
 * passes it the requests and upgrades of a server: see `listenRemote` for a server that is ready to use.
 * After `close`, it refuses new connections with 503, and those that exist go on. `closed` resolves when
 * none of those over HTTP is left, because they need the server's address.
 */
export function remoteEndpoint<A>(options: RemoteEndpointOptions<A>): RemoteEndpoint<A> {
  return new Endpoint(resolveOptions(options));
}

const METHODS = "GET, POST, DELETE";
const ALLOWED_HEADERS = `authorization, content-type, ${Object.values(HEADERS).join(", ")}`;

class Endpoint<A> implements RemoteEndpoint<A> {
  readonly #options: ResolvedOptions<A>;
  readonly #gatekeeper: Gatekeeper<A>;
  readonly #acceptor: Acceptor<RemoteChannel<A>>;
  readonly #connects: RateLimit;
  readonly #http: HttpRequests<A>;
  readonly #closed = deferred<Error | undefined>();
  readonly closed = this.#closed.promise;
  /** The ids of the connections that upgrades lead to. */
  readonly #ids = new WeakMap<IncomingMessage, string>();
  #sockets: Promise<WebSocketServer> | undefined;
  #isClosed = false;

  constructor(options: ResolvedOptions<A>) {
    this.#options = options;
    this.#gatekeeper = new Gatekeeper(options);
    this.#acceptor = new Acceptor(options);
    this.#connects = new RateLimit(options.limits.maxConnectsPerMinute);
    this.#http = new HttpRequests(options.limits, this.#acceptor, this.#connects);
  }

  open(accept: (channel: RemoteChannel<A>) => void): void {
    this.#acceptor.open(accept);
  }

  close(): Promise<void> {
    return quietly(async () => {
      this.#isClosed = true;
      this.#acceptor.close();
      await this.#http.empty();
      this.#closed.resolve(undefined);
    });
  }

  async handle(request: HttpRequestLike, response: HttpResponseLike): Promise<void> {
    response.on("error", () => {});
    try {
      this.#answer(request, response, await this.#outcome(request, response));
    } catch {
      response.destroy();
    }
  }

  async #outcome(request: HttpRequestLike, response: HttpResponseLike): Promise<Outcome> {
    const { headers, method = "GET" } = request;
    const misplaced = this.#gatekeeper.place(headers);
    if (misplaced) return misplaced;
    this.#allowPage(headerOf(headers, "origin"), response);
    if (!this.#options.isPath(targetOf(request.url).path)) return NOT_FOUND;
    if (method === "OPTIONS" && headerOf(headers, "origin") !== undefined) return preflight();
    if (method !== "GET" && method !== "POST" && method !== "DELETE") {
      return { status: 405, text: "method not allowed", headers: { allow: METHODS } };
    }
    const admission = await this.#gatekeeper.admit(request);
    if (!admission.ok) return admission.refusal;
    return this.#http.handle(request, response, admission.client, this.#isClosed);
  }

  async admit(request: HttpRequestLike, response: HttpResponseLike): Promise<A | undefined> {
    if (!this.isInPlace(request, response)) return undefined;
    const admission = await this.#gatekeeper.admit(request);
    if (admission.ok) return admission.client.access;
    this.#answer(request, response, admission.refusal);
    return undefined;
  }

  isInPlace(request: HttpRequestLike, response: HttpResponseLike): boolean {
    response.on("error", () => {});
    const misplaced = this.#gatekeeper.place(request.headers);
    if (misplaced) this.#answer(request, response, misplaced);
    return misplaced === undefined;
  }

  /** Lets a page of an allowed origin read the answers. */
  #allowPage(origin: string | undefined, response: HttpResponseLike): void {
    if (origin === undefined) return;
    response.setHeader("access-control-allow-origin", origin);
    response.setHeader("access-control-expose-headers", HEADERS.connection);
    response.setHeader("vary", "origin");
  }

  #answer(request: HttpRequestLike, response: HttpResponseLike, outcome: Outcome): void {
    if (outcome === "streaming") return;
    response.statusCode = outcome.status;
    if (!("text" in outcome)) {
      const { line, connectionId } = outcome;
      if (connectionId !== undefined) response.setHeader(HEADERS.connection, connectionId);
      if (line !== undefined) response.setHeader("content-type", "application/json");
      response.end(line ?? "");
      return;
    }
    this.#refused(request, outcome);
    for (const [name, value] of Object.entries(outcome.headers ?? {})) {
      // HTTP/2 knows no such header; there, the stream ends.
      if (name !== "connection" || request.httpVersionMajor < 2) response.setHeader(name, value);
    }
    if (outcome.text !== "") response.setHeader("content-type", "text/plain");
    response.end(outcome.text);
    request.resume();
  }

  #refused(
    { method = "GET", url, headers, socket }: HttpRequestLike,
    { status, reason }: HttpRefusal,
  ): void {
    if (status < 400) return;
    this.#options.onRefused?.({
      method,
      path: targetOf(url).path,
      status,
      reason,
      origin: headerOf(headers, "origin"),
      host: hostOf(headers),
      address: socket.remoteAddress,
    });
  }

  async upgrade(request: object, socket: object, head: Uint8Array): Promise<void> {
    if (!(request instanceof IncomingMessage) || !(socket instanceof Duplex)) return;
    socket.on("error", () => {});
    try {
      const refusal = await this.#upgrade(request, socket, Buffer.from(head));
      if (!refusal) return;
      this.#refused(request, refusal);
      socket.end(asHttp(refusal));
    } catch {
      socket.destroy();
    }
  }

  async #upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
  ): Promise<HttpRefusal | undefined> {
    const misplaced = this.#gatekeeper.place(request.headers);
    if (misplaced) return misplaced;
    if (!this.#options.isPath(targetOf(request.url).path)) return NOT_FOUND;
    const admission = await this.#gatekeeper.admit(request);
    if (!admission.ok) return admission.refusal;
    const { client } = admission;
    if (this.#isClosed || this.#acceptor.isFull) return FULL;
    if (!this.#connects.take(client.owner)) return TOO_FAST;
    const server = await (this.#sockets ??= this.#socketServer());
    const id = randomId();
    this.#ids.set(request, id);
    server.handleUpgrade(request, socket, head, (accepted) => {
      if (this.#acceptor.isFull) return accepted.close(1013, "too many connections");
      watch(accepted, socket, this.#options.limits);
      this.#acceptor.add(new WebSocketConnection(accepted, id, client, this.#options.limits));
    });
    return undefined;
  }

  async #socketServer(): Promise<WebSocketServer> {
    const { WebSocketServer: Server } = await import("ws");
    const server = new Server({
      noServer: true,
      clientTracking: false,
      maxPayload: this.#options.limits.maxMessageBytes,
      perMessageDeflate: false,
      // The subprotocol that carries the token is never echoed.
      handleProtocols: (offered) => (offered.has(PLAIN_PROTOCOL) ? PLAIN_PROTOCOL : false),
    });
    server.on("headers", (headers, request) => {
      const id = this.#ids.get(request);
      if (id !== undefined) headers.push(`Acp-Connection-Id: ${id}`);
    });
    return server;
  }
}

function preflight(): HttpRefusal {
  const headers = {
    "access-control-allow-methods": METHODS,
    "access-control-allow-headers": ALLOWED_HEADERS,
    "access-control-max-age": "600",
  };
  return { status: 204, text: "", headers };
}

/** An HTTP answer as text, for a socket that wanted to be upgraded. */
function asHttp({ status, text, headers = {} }: HttpRefusal): string {
  const lines = Object.entries({ ...headers, "content-type": "text/plain", connection: "close" })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  const length = Buffer.byteLength(text);
  return `HTTP/1.1 ${status} Refused\r\n${lines}content-length: ${length}\r\n\r\n${text}`;
}
