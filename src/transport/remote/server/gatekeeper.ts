import {
  type RequestHeaders,
  type HttpRefusal,
  bearerOf,
  headerOf,
  hashToken,
  hasTokenInAddress,
  NOT_FOUND,
  placeRefusal,
  targetOf,
  TOKEN_IN_ADDRESS,
} from "../../wire/index.ts";
import { tokenInProtocols } from "../websocket/subprotocols.ts";
import type { RemoteClient } from "./http-connection.ts";
import type { HttpRequestLike, ResolvedOptions } from "./options.ts";

/** Pure: the subprotocols that a WebSocket offers. */
function protocolsOf(headers: RequestHeaders): readonly string[] {
  const offered = headerOf(headers, "sec-websocket-protocol") ?? "";
  return offered.split(",").map((protocol) => protocol.trim());
}

/** Pure: the token of a request, never taken from its address. */
export function requestToken(headers: RequestHeaders): string | undefined {
  return bearerOf(headers) ?? tokenInProtocols(protocolsOf(headers));
}

const MINUTE_MS = 60_000;
/** How many keys are remembered. Beyond it, the oldest is forgotten. */
const MAX_KEYS = 4096;

export class RateLimit {
  readonly #limit: number;
  readonly #windows = new Map<string, { readonly since: number; count: number }>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts an event. Returns whether the key is still within its limit. */
  take(key: string): boolean {
    const now = performance.now();
    const found = this.#windows.get(key);
    if (found && now - found.since < MINUTE_MS) return ++found.count <= this.#limit;
    this.#windows.delete(key);
    this.#windows.set(key, { since: now, count: 1 });
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > MAX_KEYS && oldest !== undefined) this.#windows.delete(oldest);
    return this.#limit >= 1;
  }
}

/** A request that may go on, or the answer that ends it. */
type Admission<A> =
  | { readonly ok: true; readonly client: RemoteClient<A> }
  | { readonly ok: false; readonly refusal: HttpRefusal };

export const RETRY_AFTER = { "retry-after": "5" } as const;
export const FULL: HttpRefusal = {
  status: 503,
  text: "too many connections",
  headers: RETRY_AFTER,
};
export const TOO_FAST: HttpRefusal = {
  status: 429,
  text: "too many new connections",
  headers: RETRY_AFTER,
};

/** Decides who may speak to the endpoint: first the host, then the page, then the token. */
export class Gatekeeper<A> {
  readonly #options: ResolvedOptions<A>;
  readonly #failures: RateLimit;

  constructor(options: ResolvedOptions<A>) {
    this.#options = options;
    this.#failures = new RateLimit(options.limits.maxFailuresPerMinute);
  }

  /** Checks the host and the page. Undefined if both are allowed. */
  place(headers: RequestHeaders): HttpRefusal | undefined {
    return placeRefusal(headers, this.#options);
  }

  async admit(request: HttpRequestLike): Promise<Admission<A>> {
    const target = targetOf(request.url);
    if (hasTokenInAddress(target)) return { ok: false, refusal: TOKEN_IN_ADDRESS };
    const { headers, method = "GET", socket } = request;
    const token = requestToken(headers);
    const address = socket.remoteAddress;
    let access: A | undefined;
    try {
      const { path } = target;
      access = await this.#options.authorize({ method, path, headers, token, address });
      if (access !== undefined) {
        if (this.#options.mayUse?.(access, path) === false) {
          return { ok: false, refusal: NOT_FOUND };
        }
        const owner = this.#options.owner?.(access) ?? hashToken(token ?? "");
        return { ok: true, client: { access, owner, address } };
      }
    } catch {
      return { ok: false, refusal: { status: 500, text: "the server could not check the token" } };
    }
    return { ok: false, refusal: this.#unauthorized(address ?? "", token) };
  }

  /**
   * Valid tokens pass even if an address has failed often: on a shared machine, somebody else may be the
   * one who fails, and 256 bits cannot be guessed anyway.
   */
  #unauthorized(address: string, token: string | undefined): HttpRefusal {
    const reason = token === undefined ? "no_token" : "wrong_token";
    if (!this.#failures.take(address)) {
      const headers = { "retry-after": "60", connection: "close" };
      return { status: 429, text: "too many failed attempts", reason, headers };
    }
    return { status: 401, text: "unauthorized", reason, headers: { "www-authenticate": "Bearer" } };
  }
}
