import {
  hashToken,
  hasTokenInAddress,
  type HttpRefusal,
  NOT_FOUND,
  placeRefusal,
  type RequestHeaders,
  targetOf,
  TOKEN_IN_ADDRESS,
} from "../../wire/index.ts";
import { tokenOf } from "./checks.ts";
import type { RemoteClient } from "./http-connection.ts";
import type { HttpRequestLike } from "./node-http.ts";
import type { ResolvedOptions } from "./options.ts";
import { RateLimit } from "./rate.ts";

/** A request that may go on, or the answer that ends it. */
export type Admission<A> =
  | { readonly ok: true; readonly client: RemoteClient<A> }
  | { readonly ok: false; readonly refusal: HttpRefusal };

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
    return placeRefusal(headers, this.#options);
  }

  /** Checks the token. Never rejects. */
  async admit(request: HttpRequestLike): Promise<Admission<A>> {
    const target = targetOf(request.url);
    if (hasTokenInAddress(target)) return { ok: false, refusal: TOKEN_IN_ADDRESS };
    const { headers, method = "GET", socket } = request;
    const token = tokenOf(headers);
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
