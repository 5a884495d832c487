import { definedFields, type Overrides } from "../../../base/index.ts";
import type { Channel, Listener, ListenerOptions, RefusalReason } from "../../wire/index.ts";
import { DEFAULT_PATH } from "../http/routes.ts";

/** The HTTP request of a client, before anything of its body was read. */
export interface RemoteRequest {
  /** The method, such as `POST`. */
  readonly method: string;
  /** The path, without the query. */
  readonly path: string;
  /** The headers, with lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The bearer token, from the `Authorization` header or a WebSocket's subprotocol. */
  readonly token: string | undefined;
  /** The client's IP address; undefined if the connection is already gone. */
  readonly address: string | undefined;
}

/** A request that was refused. */
export interface RefusedRequest {
  /** The method, such as `POST`. */
  readonly method: string;
  /** The path, without the query. */
  readonly path: string;
  /** The status of the answer. */
  readonly status: number;
  /** Why the client may not connect; undefined if something else is wrong with the request. */
  readonly reason: RefusalReason | undefined;
  /** The `Origin` header, as received: treat it as hostile text. */
  readonly origin: string | undefined;
  /** The `Host` header, as received: treat it as hostile text. */
  readonly host: string | undefined;
  /** The client's IP address. */
  readonly address: string | undefined;
}

/** A channel to a client that connected from elsewhere. */
export interface RemoteChannel<A> extends Channel {
  /** The value that `authorize` returned for the client. */
  readonly access: A;
  /** The id of the connection. Treat it as a secret. */
  readonly connectionId: string;
  /** How the client is connected. */
  readonly transport: "websocket" | "http";
  /** The client's IP address. */
  readonly address: string | undefined;
}

/** A listener whose channels say who connected. */
export interface RemoteListener<A> extends Listener {
  /** Starts handing over connections, as {@link Listener.open} does. */
  open(accept: (channel: RemoteChannel<A>) => void): void;
}

/** The limits of a server for remote clients. */
export interface RemoteLimits {
  /** The longest message of a client, in bytes. Default: 16 MiB. */
  readonly maxMessageBytes: number;
  /** The most sessions of a connection that have a stream. Default: 256. */
  readonly maxSessions: number;
  /** The most unanswered requests of a client. Default: 1024. */
  readonly maxPending: number;
  /** The longest session, connection or request id, in characters. Default: 1024. */
  readonly maxIdChars: number;
  /** The most that may wait for a client, in bytes; the connection ends beyond it. Default: 64 MiB. */
  readonly maxUnreadBytes: number;
  /** How much of what was sent is kept for clients that come back, in bytes. Default: 4 MiB. */
  readonly replayBytes: number;
  /** The most new connections of one owner per minute. Default: 600. */
  readonly maxConnectsPerMinute: number;
  /** The most failed logins of one address per minute that are answered with 401. Default: 60. */
  readonly maxFailuresPerMinute: number;
  /** The time limit for a request's body, in milliseconds. Default: 30 s. */
  readonly bodyMs: number;
  /** The time limit for `initialize`, in milliseconds. Default: 30 s. */
  readonly initializeMs: number;
  /** How often a sign of life is sent, in milliseconds. Default: 15 s. */
  readonly pingMs: number;
  /** A connection ends if it has no traffic and no open request for this long. Default: 30 minutes. */
  readonly idleMs: number;
  /** A client is cut off if it reads nothing for this long while data waits. Default: 60 s. */
  readonly stallMs: number;
  /** How long an HTTP client without a stream may take to come back. Default: 30 s. */
  readonly graceMs: number;
}

const MIB = 1024 * 1024;

export const DEFAULT_REMOTE_LIMITS: RemoteLimits = {
  maxMessageBytes: 16 * MIB,
  maxSessions: 256,
  maxPending: 1024,
  maxIdChars: 1024,
  maxUnreadBytes: 64 * MIB,
  replayBytes: 4 * MIB,
  maxConnectsPerMinute: 600,
  maxFailuresPerMinute: 60,
  bodyMs: 30_000,
  initializeMs: 30_000,
  pingMs: 15_000,
  idleMs: 30 * 60_000,
  stallMs: 60_000,
  graceMs: 30_000,
};

/** Options of `remoteEndpoint`. */
export interface RemoteEndpointOptions<A> extends ListenerOptions {
  /**
   * Decides who may connect, for every HTTP request and every WebSocket. Undefined refuses the client
   * with 401. An error refuses it with 500 and is not shown to it.
   */
  readonly authorize: (request: RemoteRequest) => A | undefined | Promise<A | undefined>;
  /** Who owns a connection: others get 404. Default: all clients with the same token. */
  readonly owner?: ((access: A) => string) | undefined;
  /**
   * The `Host` values that are accepted: `name`, which allows every port, or `name:port`. Others get
   * 403, which protects against web pages that point a name of their own at this server.
   */
  readonly hosts: readonly string[];
  /**
   * The web pages that may connect, as origins such as `https://example.com`. Default: none. Programs
   * that are not browsers send no origin.
   */
  readonly origins?: readonly string[] | undefined;
  /** The path of the endpoint, or whether a path belongs to it. Default: `/acp`. */
  readonly path?: string | ((path: string) => boolean) | undefined;
  /** Whether a client that was let in may use a path. Otherwise it gets 404. Default: it may. */
  readonly mayUse?: ((access: A, path: string) => boolean) | undefined;
  /** Called for every request and upgrade that is refused, for logs and metrics. It must not throw. */
  readonly onRefused?: ((refused: RefusedRequest) => void) | undefined;
  /** Changes to the limits. */
  readonly limits?: Overrides<RemoteLimits> | undefined;
}

/** The options with every default filled in. */
export interface ResolvedOptions<A> extends RemoteEndpointOptions<A> {
  readonly origins: readonly string[];
  readonly isPath: (path: string) => boolean;
  readonly limits: RemoteLimits;
}

export function resolveOptions<A>(options: RemoteEndpointOptions<A>): ResolvedOptions<A> {
  const { path = DEFAULT_PATH } = options;
  return {
    ...options,
    origins: options.origins ?? [],
    isPath: typeof path === "string" ? (asked) => asked === path : path,
    limits: { ...DEFAULT_REMOTE_LIMITS, ...definedFields(options.limits) },
  };
}

/*
 * The parts of Node's requests and responses that the endpoint uses. Those of `node:http`, `node:https`
 * and the compatibility interface of `node:http2` have them.
 */

/** A request that a server received. */
export interface HttpRequestLike {
  /** The method, such as `POST`. */
  readonly method?: string | undefined;
  /** The path and the query. */
  readonly url?: string | undefined;
  /** The headers, with lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly httpVersionMajor: number;
  readonly socket: {
    readonly remoteAddress?: string | undefined;
  };
  on(event: "data", listener: (piece: Uint8Array) => void): unknown;
  on(event: "end" | "close", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

/** The response to a request. */
export interface HttpResponseLike {
  statusCode: number;
  readonly headersSent: boolean;
  setHeader(name: string, value: string | number): unknown;
  /** Sends a piece of the body. Returns false if it has to wait. */
  write(piece: string): boolean;
  end(): unknown;
  end(piece: string): unknown;
  destroy(): unknown;
  on(event: "drain" | "close", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
}
