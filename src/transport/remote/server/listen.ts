import { createServer, type Server as HttpServer } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { quietly, toError } from "../../../base/index.ts";
import { ListenError, LOOPBACK_NAMES, namesWithPort } from "../../wire/index.ts";
import { remoteEndpoint } from "./endpoint.ts";
import {
  DEFAULT_REMOTE_LIMITS,
  type RemoteEndpointOptions,
  type RemoteListener,
} from "./options.ts";

/** Options of {@link listenRemote}. */
export interface ListenRemoteOptions<A> extends Omit<RemoteEndpointOptions<A>, "hosts" | "path"> {
  /** The path of the endpoint. Default: `/acp`. */
  readonly path?: string | undefined;
  /** The address to listen on. Default: `127.0.0.1`. */
  readonly host?: string | undefined;
  /** The port to listen on. Default: 0, which picks a free one. */
  readonly port?: number | undefined;
  /** More `Host` values to accept. Default: the loopback names and `host`, each with the port. */
  readonly hosts?: readonly string[] | undefined;
  /** For `https:` and `wss:`. */
  readonly tls?:
    | {
        /** The certificate, in PEM format. */
        readonly cert: string;
        /** Its key, in PEM format. */
        readonly key: string;
      }
    | undefined;
  /** The time limit for a request's headers, in milliseconds. Default: 10 s. */
  readonly headersMs?: number | undefined;
}

/** A server for remote clients. */
export interface RemoteServer<A> extends RemoteListener<A> {
  readonly port: number;
  /** The address of the endpoint, for streamable HTTP. */
  readonly url: string;
  /** The address of the endpoint, for WebSocket. */
  readonly webSocketUrl: string;
}

const HEADERS_MS = 10_000;
const MAX_HEADER_BYTES = 16 * 1024;
/** How often Node looks for requests that take too long. */
const CHECK_MS = 1000;
/** An HTTP client has a socket for each stream, and one or two for its messages. */
const SOCKETS_PER_CONNECTION = 8;
const DEFAULT_MAX_CONNECTIONS = 256;

/**
 * Starts a server that clients reach over WebSocket and streamable HTTP, on `/acp`, and listens on
 * loopback by default. Without `tls`, everything on another address travels unencrypted, tokens included.
 * Rejects with a ListenError.
 *
 * `close` refuses new connections at once and frees the address when the last connection over HTTP has
 * ended, because those need it.
 */
export function listenRemote<A>(options: ListenRemoteOptions<A>): Promise<RemoteServer<A>> {
  return quietly(async () => {
    const { host = "127.0.0.1", port = 0, path = "/acp" } = options;
    const hosts: string[] = [];
    const endpoint = remoteEndpoint({ ...options, hosts });
    const { tls, headersMs, limits } = options;
    const server = await createHttpServer({ tls, headersMs, bodyMs: limits?.bodyMs });
    server.on("request", (request, response) => void endpoint.handle(request, response));
    server.on("upgrade", (request, socket, head) => void endpoint.upgrade(request, socket, head));
    limitSockets(server, options.maxConnections);
    const bound = await listenOn(server, host, port);
    const shown = hostInUrl(host);
    hosts.push(
      ...namesWithPort([...LOOPBACK_NAMES, shown], bound, tls !== undefined),
      ...(options.hosts ?? []),
    );
    const scheme = options.tls ? "s" : "";
    void endpoint.closed.then(() => server.close());
    return {
      port: bound,
      url: `http${scheme}://${shown}:${bound}${path}`,
      webSocketUrl: `ws${scheme}://${shown}:${bound}${path}`,
      closed: endpoint.closed,
      open: (accept) => endpoint.open(accept),
      close: () => endpoint.close(),
    };
  });
}

/** Pure: a host as an address has it; IPv6 has brackets there. */
export function hostInUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** How a server for remote clients treats its sockets. */
export interface HttpServerOptions {
  /** For HTTPS: the certificate and its key, in PEM format. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** The time limit for a request's headers, in milliseconds. Default: 10 s. */
  readonly headersMs?: number | undefined;
  /** The time limit for a request's body, in milliseconds. Default: 30 s. */
  readonly bodyMs?: number | undefined;
}

/** Creates a server that does not listen yet, with limits for headers: their time and their size. */
export async function createHttpServer({
  tls,
  headersMs = HEADERS_MS,
  bodyMs = DEFAULT_REMOTE_LIMITS.bodyMs,
}: HttpServerOptions): Promise<HttpServer | HttpsServer> {
  const options = {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: headersMs,
    requestTimeout: headersMs + bodyMs,
    connectionsCheckingInterval: Math.min(CHECK_MS, headersMs),
  };
  if (!tls) return createServer(options);
  const https = await import("node:https");
  return https.createServer({ ...options, ...tls, minVersion: "TLSv1.2" });
}

/** Limits the sockets of a server to those that its connections need. */
export function limitSockets(
  server: HttpServer | HttpsServer,
  maxConnections = DEFAULT_MAX_CONNECTIONS,
): void {
  server.maxConnections = maxConnections * SOCKETS_PER_CONNECTION;
}

/** Listens, and resolves with the port. Rejects with a ListenError. */
export async function listenOn(
  server: HttpServer | HttpsServer,
  host: string,
  port: number,
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(new ListenError(`${host}:${port}`, toError(error))));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return isInfo(address) ? address.port : port;
}

function isInfo(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === "object" && address !== null;
}
