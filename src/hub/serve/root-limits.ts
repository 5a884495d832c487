import type { TokenGrant } from "../../remote/index.ts";
import { RpcError } from "../../rpc/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import type { HubSessionInfo, OpenRequest } from "../options.ts";
import { type HubRoots, rootChecker } from "../roots.ts";

/** Keeps clients inside the roots of the server and of their tokens. */
export class RootLimits {
  readonly #roots: HubRoots | undefined;
  readonly #grants: () => readonly TokenGrant[];
  readonly #check: ((request: OpenRequest) => Promise<JsonObject>) | undefined;

  constructor(roots: HubRoots | undefined, grants: () => readonly TokenGrant[]) {
    this.#roots = roots;
    this.#grants = grants;
    this.#check = roots && rootChecker(roots, { allowed: ({ owner }) => this.#allowed(owner) });
  }

  /** For `HubOptions.checkOpen`. */
  checkOpen(request: OpenRequest): JsonObject | Promise<JsonObject> {
    if (this.#check) return this.#check(request);
    if (this.#allowed(request.client.owner) === undefined) return request.params;
    throw RpcError.invalidParams("cwd is not inside a root of this server");
  }

  /** Whether a token may attach to a session that another one opened. */
  mayAttach({ roots }: TokenGrant, { cwd }: HubSessionInfo): boolean {
    if (roots === undefined) return true;
    return this.#roots?.namesOf(cwd).some((name) => roots.includes(name)) === true;
  }

  /** The roots of an owner; undefined for all. A token that was removed meanwhile has none. */
  #allowed(owner: string): readonly string[] | undefined {
    const grant = this.#grants().find(({ name }) => name === owner);
    return grant ? grant.roots : [];
  }
}
