// The public interface of `dragoman/remote`, written by `npm run docs`.

export interface Channel {
  open(receive: (line: string) => void): void;
  send(line: string): Promise<void>;
  pause(): void;
  resume(): void;
  close(): Promise<CloseReason>;
  readonly closed: Promise<CloseReason>;
}

export declare class ClientStalledError extends Error {
  readonly name = "ClientStalledError";
}

export type CloseReason =
  | {
      readonly kind: "closed";
      readonly exit?: ExitStatus | undefined;
      readonly stderr?: string | undefined;
    }
  | {
      readonly kind: "ended";
      readonly code?: number | undefined;
      readonly text?: string | undefined;
    }
  | {
      readonly kind: "exited";
      readonly exit: ExitStatus;
      readonly stderr: string;
    }
  | {
      readonly kind: "failed";
      readonly error: Error;
      readonly stderr?: string | undefined;
    };

export declare class ConnectError extends DragomanError {
  readonly name = "ConnectError";
  readonly address: string;
  readonly systemCode: string | undefined;
  constructor(address: string, cause: Error);
}

export interface ConnectRemoteOptions extends HttpChannelOptions {
  readonly token?: string | undefined;
  readonly protocols?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

export declare class EventTooLongError extends DragomanError {
  readonly name = "EventTooLongError";
  readonly limit: number;
  constructor(limit: number);
}

export interface ExitStatus {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface HttpChannelOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly fetch?: typeof fetch | undefined;
  readonly maxLineBytes?: number | undefined;
  readonly retry?: Overrides<RetryOptions> | undefined;
}

export interface HttpRequestLike {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
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

export interface HttpResponseLike {
  statusCode: number;
  readonly headersSent: boolean;
  setHeader(name: string, value: string | number): unknown;
  write(piece: string): boolean;
  end(): unknown;
  end(piece: string): unknown;
  destroy(): unknown;
  on(event: "drain" | "close", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
}

export declare class HttpStatusError extends DragomanError {
  readonly name = "HttpStatusError";
  readonly status: number;
  readonly body: string;
  constructor(what: string, status: number, body: string);
}

export declare const LOOPBACK_NAMES: readonly string[];

export declare class ListenError extends DragomanError {
  readonly name = "ListenError";
  readonly address: string;
  readonly systemCode: string | undefined;
  constructor(address: string, cause: Error);
}

export interface ListenRemoteOptions<A> extends Omit<RemoteEndpointOptions<A>, "hosts" | "path"> {
  readonly path?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly hosts?: readonly string[] | undefined;
  readonly tls?:
    | {
        readonly cert: string;
        readonly key: string;
      }
    | undefined;
  readonly headersMs?: number | undefined;
}

export interface Listener {
  open(accept: (channel: Channel) => void): void;
  close(): Promise<void>;
  readonly closed: Promise<Error | undefined>;
}

export interface ListenerOptions {
  readonly maxConnections?: number | undefined;
}

export type Overrides<T> = {
  readonly [K in keyof T]?: T[K] | undefined;
};

export type RefusalReason = "host" | "origin" | "no_token" | "wrong_token" | "token_in_address";

export interface RefusedRequest {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly reason: RefusalReason | undefined;
  readonly origin: string | undefined;
  readonly host: string | undefined;
  readonly address: string | undefined;
}

export interface RemoteChannel<A> extends Channel {
  readonly access: A;
  readonly connectionId: string;
  readonly transport: "websocket" | "http";
  readonly address: string | undefined;
}

export interface RemoteEndpoint<A> extends RemoteListener<A> {
  handle(request: HttpRequestLike, response: HttpResponseLike): Promise<void>;
  upgrade(request: object, socket: object, head: Uint8Array): Promise<void>;
  admit(request: HttpRequestLike, response: HttpResponseLike): Promise<A | undefined>;
  isInPlace(request: HttpRequestLike, response: HttpResponseLike): boolean;
}

export interface RemoteEndpointOptions<A> extends ListenerOptions {
  readonly authorize: (request: RemoteRequest) => A | undefined | Promise<A | undefined>;
  readonly owner?: ((access: A) => string) | undefined;
  readonly hosts: readonly string[];
  readonly origins?: readonly string[] | undefined;
  readonly path?: string | ((path: string) => boolean) | undefined;
  readonly mayUse?: ((access: A, path: string) => boolean) | undefined;
  readonly onRefused?: ((refused: RefusedRequest) => void) | undefined;
  readonly limits?: Overrides<RemoteLimits> | undefined;
}

export interface RemoteLimits {
  readonly maxMessageBytes: number;
  readonly maxSessions: number;
  readonly maxPending: number;
  readonly maxIdChars: number;
  readonly maxUnreadBytes: number;
  readonly replayBytes: number;
  readonly maxConnectsPerMinute: number;
  readonly maxFailuresPerMinute: number;
  readonly bodyMs: number;
  readonly initializeMs: number;
  readonly pingMs: number;
  readonly idleMs: number;
  readonly stallMs: number;
  readonly graceMs: number;
}

export interface RemoteListener<A> extends Listener {
  open(accept: (channel: RemoteChannel<A>) => void): void;
}

export interface RemoteRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly token: string | undefined;
  readonly address: string | undefined;
}

export interface RemoteServer<A> extends RemoteListener<A> {
  readonly port: number;
  readonly url: string;
  readonly webSocketUrl: string;
}

export interface RetryOptions {
  readonly attempts: number;
  readonly firstMs: number;
  readonly longestMs: number;
  readonly silenceMs: number;
}

export interface TokenGrant {
  readonly name: string;
  readonly sha256: string;
  readonly agents: readonly string[] | undefined;
  readonly roots: readonly string[] | undefined;
  readonly role: TokenRole;
  readonly tenant?: string | undefined;
  readonly expires: number | undefined;
}

export type TokenRole = "controller" | "observer";

export declare class TokensFileError extends DragomanError {
  readonly name = "TokensFileError";
  readonly field: string;
  constructor(field: string, problem: string);
}

export declare function connectRemote(
  url: string | URL,
  options?: ConnectRemoteOptions,
): Promise<Channel>;

export declare function createToken(): string;

export declare function findGrant(
  token: string | undefined,
  grants: readonly TokenGrant[],
  now: number,
): TokenGrant | undefined;

export declare function hashToken(token: string): string;

export declare function isAllowedHost(
  host: string | undefined,
  allowed: readonly string[],
): boolean;

export declare function isAllowedOrigin(
  origin: string | undefined,
  allowed: readonly string[],
): boolean;

export declare function listenRemote<A>(options: ListenRemoteOptions<A>): Promise<RemoteServer<A>>;

export declare function parseTokens(text: string): readonly TokenGrant[];

export declare function remoteEndpoint<A>(options: RemoteEndpointOptions<A>): RemoteEndpoint<A>;
