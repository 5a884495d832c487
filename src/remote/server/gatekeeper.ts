import { createHash } from "node:crypto";
import {
  hasTokenInAddress,
  headerOf,
  hostOf,
  isAllowedHost,
  isAllowedOrigin,
  pathOf,
  type RequestHeaders,
  tokenOf,
} from "./checks.ts";
import type { RemoteClient } from "./http-connection.ts";
import type { HttpRequestLike } from "./node-http.ts";
import type { ResolvedOptions } from "./options.ts";
import { RateLimit } from "./rate.ts";

/** An answer that ends a request. Its text says what the client did wrong, and nothing else. */
export interface HttpRefusal {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A request that may go on, or the answer that ends it. */
export type Admission<A> =
  | { readonly ok: true; readonly client: RemoteClient<A> }
  | { readonly ok: false; readonly refusal: HttpRefusal };

const TOKEN_IN_ADDRESS: HttpRefusal = {
  status: 400,
  text: "a token does not belong in an address: send it as Authorization: Bearer",
};
export const NOT_FOUND: HttpRefusal = { status: 404, text: "not found" };
export const RETRY_AFTER = { "retry-after": "5" } as const;

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
    if (!isAllowedHost(hostOf(headers), this.#options.hosts)) {
      return { status: 403, text: "this host name is not served here" };
    }
    // A header that comes twice is not a page's.
    const origin =
      headers["origin"] === undefined ? undefined : (headerOf(headers, "origin") ?? "null");
    if (!isAllowedOrigin(origin, this.#options.origins)) {
      return { status: 403, text: "web pages of this origin may not connect" };
    }
    return undefined;
  }

  /** Checks the token. Never rejects. */
  async admit(request: HttpRequestLike): Promise<Admission<A>> {
    if (hasTokenInAddress(request.url)) return { ok: false, refusal: TOKEN_IN_ADDRESS };
    const { headers, method = "GET", socket } = request;
    const token = tokenOf(headers);
    const address = socket.remoteAddress;
    let access: A | undefined;
    try {
      const path = pathOf(request.url);
      access = await this.#options.authorize({ method, path, headers, token, address });
      if (access !== undefined) {
        if (this.#options.mayUse?.(access, path) === false) {
          return { ok: false, refusal: NOT_FOUND };
        }
        const owner = this.#options.owner?.(access) ?? hashOf(token ?? "");
        return { ok: true, client: { access, owner, address } };
      }
    } catch {
      return { ok: false, refusal: { status: 500, text: "the server could not check the token" } };
    }
    return { ok: false, refusal: this.#unauthorized(address ?? "") };
  }

  /**
   * Valid tokens pass even if an address has failed often: on a shared machine, somebody else may be the
   * one who fails, and 256 bits cannot be guessed anyway.
   */
  #unauthorized(address: string): HttpRefusal {
    if (!this.#failures.take(address)) {
      const headers = { "retry-after": "60", connection: "close" };
      return { status: 429, text: "too many failed attempts", headers };
    }
    return { status: 401, text: "unauthorized", headers: { "www-authenticate": "Bearer" } };
  }
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
