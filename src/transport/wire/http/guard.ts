import type { ServerToken } from "./token.ts";

/** The headers of a request, with lower-case names, as Node has them. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The part of a request's address that a server decides by. */
interface HttpTarget {
  /**
   * The path as it was sent. Nothing in it is resolved or decoded, so a path that is written differently
   * is another path, and leads nowhere.
   */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Pure: the only reading of a request's address. Whoever checks a path and whoever serves it use this one. */
export function targetOf(url: string | undefined): HttpTarget {
  const [, path = "", query] = /^([^?#]*)(?:\?([^#]*))?/.exec(url ?? "/") ?? [];
  return { path, query: new URLSearchParams(query) };
}

/** Pure: one value of a header; undefined if it is missing or comes several times. */
export function headerOf(headers: RequestHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : undefined;
}

/** Pure: the token of an `Authorization: Bearer` header; undefined without one. */
export function bearerOf(headers: Readonly<Record<string, unknown>>): string | undefined {
  const name = Object.keys(headers).find((key) => key.toLowerCase() === "authorization");
  const value = name === undefined ? undefined : headers[name];
  return typeof value === "string" ? /^bearer +(\S+) *$/i.exec(value)?.[1] : undefined;
}

const SECRET_NAMES =
  /^(?:(?:access|auth|bearer|api)?[_-]?(?:token|key)|auth|authorization|bearer|password|secret)$/i;

/** Pure: whether an address carries a token. Addresses end up in logs, so it is not a secret anymore. */
export function hasTokenInAddress({ query }: HttpTarget): boolean {
  return [...query.keys()].some((name) => SECRET_NAMES.test(name));
}

/**
 * Why a request was refused: its host or its page is not allowed, it has no token or a wrong one, or it has
 * a token in its address.
 */
export type RefusalReason = "host" | "origin" | "no_token" | "wrong_token" | "token_in_address";

/** An answer that ends a request. Its text says what the client did wrong, and nothing else. */
export interface HttpRefusal {
  readonly status: number;
  readonly text: string;
  /** Why the client may not connect; undefined if something else is wrong with the request. */
  readonly reason?: RefusalReason | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Where the requests of a server may come from. */
interface HttpPlace {
  /** The `Host` values that are accepted: see isAllowedHost. */
  readonly hosts: readonly string[];
  /** The web pages that may send requests. `own`: those of this server, which is reached over plain HTTP. */
  readonly origins: readonly string[] | "own";
}

/** The rules of a server with one token. */
interface HttpGuard extends HttpPlace {
  readonly token: ServerToken;
  /** The paths that need no token. Every other one does, known or not. */
  readonly publicPaths: readonly string[];
}

/** The parts of a request that decide whether it is served. */
interface GuardedRequest {
  readonly url?: string | undefined;
  readonly headers: RequestHeaders;
}

/** A request that may be served, with the target that was judged, or the answer that ends it. */
type GuardedTarget =
  | { readonly ok: true; readonly target: HttpTarget }
  | { readonly ok: false; readonly refusal: HttpRefusal };

export const NOT_FOUND: HttpRefusal = { status: 404, text: "not found" };
export const TOKEN_IN_ADDRESS: HttpRefusal = {
  status: 400,
  reason: "token_in_address",
  text: "do not put a token in the address: send it as Authorization: Bearer",
};

/** Names of this machine that no other machine can claim. */
export const LOOPBACK_NAMES: readonly string[] = ["127.0.0.1", "localhost", "[::1]"];

/** Pure: whether an IP address can be reached from this machine only. */
export function isLoopback(address: string): boolean {
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, "");
  return plain === "::1" || /^127(?:\.\d{1,3}){3}$/.test(plain);
}

/** Values of `Sec-Fetch-Site` for requests of our own page, and for addresses that a person opened. */
const OWN_SITES: ReadonlySet<string> = /* @__PURE__ */ new Set(["same-origin", "none"]);

/** Pure: `Host` values for a port. Clients leave out the port that belongs to the scheme. */
export function namesWithPort(
  names: readonly string[],
  port: number,
  isEncrypted: boolean,
): readonly string[] {
  const withPort = names.map((name) => `${name}:${port}`);
  return port === (isEncrypted ? 443 : 80) ? [...names, ...withPort] : withPort;
}

/**
 * Pure: whether a `Host` header is in a list. An entry without a port allows every port. A missing header
 * is not in any list.
 */
export function isAllowedHost(host: string | undefined, allowed: readonly string[]): boolean {
  if (host === undefined || host === "") return false;
  const given = host.toLowerCase();
  const name = given.replace(/:\d*$/, "");
  return allowed.some((entry) => {
    const known = entry.toLowerCase();
    return known === given || known === name;
  });
}

/** Pure: whether a request may come from its page. Programs that are not browsers send no origin. */
export function isAllowedOrigin(origin: string | undefined, allowed: readonly string[]): boolean {
  return origin === undefined || (origin !== "null" && allowed.includes(origin));
}

/** Pure: the host that a request names. HTTP/2 has a pseudo-header in place of `Host`. */
export function hostOf(headers: RequestHeaders): string | undefined {
  return headerOf(headers, ":authority") ?? headerOf(headers, "host");
}

/**
 * Pure: refuses a request for another host or from another page. `Host` comes first: a web page whose name
 * was pointed at this machine must learn nothing, and its requests carry no `Origin`.
 */
export function placeRefusal(
  headers: RequestHeaders,
  { hosts, origins }: HttpPlace,
): HttpRefusal | undefined {
  if (!isAllowedHost(hostOf(headers), hosts)) {
    return { status: 403, text: "this host name is not served here", reason: "host" };
  }
  const origin = onceOr(headers, "origin", "null");
  const pages = origins === "own" ? hosts.map((name) => `http://${name}`) : origins;
  if (!isAllowedOrigin(origin, pages)) {
    return { status: 403, text: "web pages of this origin may not connect", reason: "origin" };
  }
  // A page that is allowed by its name is on another site.
  const isNamed = origins !== "own" && origin !== undefined;
  if (!isNamed && !OWN_SITES.has(onceOr(headers, "sec-fetch-site", "") ?? "none")) {
    return { status: 403, text: "requests from other sites are not allowed", reason: "origin" };
  }
  return undefined;
}

/** Pure: admits a request with the token, and one for a public path. Everything else is refused. */
export function guardRequest(
  { url, headers }: GuardedRequest,
  { token, publicPaths, ...place }: HttpGuard,
): GuardedTarget {
  const target = targetOf(url);
  const refusal =
    placeRefusal(headers, place) ??
    (publicPaths.includes(target.path) ? undefined : tokenRefusal(headers, token)) ??
    (hasTokenInAddress(target) ? TOKEN_IN_ADDRESS : undefined);
  return refusal ? { ok: false, refusal } : { ok: true, target };
}

function tokenRefusal(headers: RequestHeaders, token: ServerToken): HttpRefusal | undefined {
  const given = bearerOf(headers);
  if (given !== undefined && token.matches(given)) return undefined;
  return { status: 401, text: "unauthorized" };
}

/** A header that browsers send once; a repeated one gets another value. */
function onceOr(headers: RequestHeaders, name: string, several: string): string | undefined {
  return headers[name] === undefined ? undefined : (headerOf(headers, name) ?? several);
}

/** The part of Node's requests that reading a body takes. */
interface BodySource {
  readonly headers: RequestHeaders;
  on(event: "data", listener: (piece: Uint8Array) => void): unknown;
  on(event: "end" | "close", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  pause(): unknown;
}

/** Why a body could not be read: it is too long, took too long, or the client went away. */
type BodyFailure = "too-long" | "timeout" | "aborted";

/** The text of a body, or why there is none. */
type Body =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly failure: BodyFailure };

/** Reads the body of a request, up to a length in bytes and a time. Never rejects. */
export function readBody(request: BodySource, maxBytes: number, ms: number): Promise<Body> {
  return new Promise((resolve) => {
    let pieces: Uint8Array[] = [];
    let size = 0;
    const done = (body: Body): void => {
      clearTimeout(timer);
      pieces = [];
      // The rest is not read.
      if (!body.ok) request.pause();
      resolve(body);
    };
    const timer = setTimeout(() => done({ ok: false, failure: "timeout" }), ms);
    if (Number(request.headers["content-length"] ?? 0) > maxBytes) {
      done({ ok: false, failure: "too-long" });
      return;
    }
    request.on("data", (piece) => {
      size += piece.length;
      if (size > maxBytes) done({ ok: false, failure: "too-long" });
      else pieces.push(piece);
    });
    request.on("end", () => done({ ok: true, text: Buffer.concat(pieces).toString("utf8") }));
    request.on("error", () => done({ ok: false, failure: "aborted" }));
    request.on("close", () => done({ ok: false, failure: "aborted" }));
  });
}
