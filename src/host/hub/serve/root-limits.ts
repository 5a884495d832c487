import type { TokenGrant } from "../../../transport/remote/index.ts";
import { RpcError } from "../../../transport/rpc/index.ts";
import type { JsonObject } from "../../../base/index.ts";
import type { HubSessionInfo, OpenRequest } from "../options.ts";
import { type HubRoots, rootChecker } from "../roots.ts";

export interface FolderLimits {
  checkOpen(request: OpenRequest): JsonObject | Promise<JsonObject>;
  mayUse(grant: TokenGrant, session: HubSessionInfo): boolean;
  /** The first root that a token may use, as clients name it; undefined if there is none. */
  firstRoot(grant: TokenGrant): string | undefined;
}

/** Keeps clients inside the roots of the server and of their tokens. */
export class RootLimits implements FolderLimits {
  readonly #roots: HubRoots | undefined;
  readonly #grants: () => readonly TokenGrant[];
  readonly #check: ((request: OpenRequest) => Promise<JsonObject>) | undefined;

  constructor(roots: HubRoots | undefined, grants: () => readonly TokenGrant[]) {
    this.#roots = roots;
    this.#grants = grants;
    this.#check = roots && rootChecker(roots, { allowed: ({ owner }) => this.#allowed(owner) });
  }

  checkOpen(request: OpenRequest): JsonObject | Promise<JsonObject> {
    if (this.#check) return this.#check(request);
    if (this.#allowed(request.client.owner) === undefined) return request.params;
    throw RpcError.invalidParams("cwd is not inside a root of this server");
  }

  mayUse({ roots }: TokenGrant, session: HubSessionInfo): boolean {
    if (roots === undefined) return true;
    const isAllowed = (folder: string): boolean =>
      this.#roots?.namesOf(folder).some((name) => roots.includes(name)) === true;
    return foldersOf(session).every(isAllowed);
  }

  firstRoot({ roots }: TokenGrant): string | undefined {
    const names = this.#roots?.list.map(({ name }) => name);
    return folderOf(names?.find((name) => roots?.includes(name) ?? true));
  }

  #allowed(owner: string): readonly string[] | undefined {
    return rootsOfOwner(this.#grants(), owner);
  }
}

function foldersOf({ cwd, additionalDirectories }: HubSessionInfo): readonly string[] {
  return [cwd, ...additionalDirectories];
}

/** The roots of an owner; undefined for all. A token that was removed meanwhile has none. */
function rootsOfOwner(grants: readonly TokenGrant[], owner: string): readonly string[] | undefined {
  const grant = grants.find(({ name }) => name === owner);
  return grant ? grant.roots : [];
}

/** Keeps clients inside the named roots of their tokens, whose folders other machines check. */
export class NamedRootLimits implements FolderLimits {
  readonly #grants: () => readonly TokenGrant[];

  constructor(grants: () => readonly TokenGrant[]) {
    this.#grants = grants;
  }

  checkOpen({ params, client }: OpenRequest): JsonObject {
    const allowed = rootsOfOwner(this.#grants(), client.owner);
    const { cwd, additionalDirectories: more = [] } = params;
    const folders: readonly unknown[] = [cwd, ...(Array.isArray(more) ? more : [more])];
    if (folders.every((folder) => isInRoots(folder, allowed))) return params;
    throw RpcError.invalidParams("cwd is not inside a root of this token");
  }

  mayUse({ roots }: TokenGrant, session: HubSessionInfo): boolean {
    return foldersOf(session).every((folder) => isInRoots(folder, roots));
  }

  firstRoot({ roots }: TokenGrant): string | undefined {
    return folderOf(roots?.[0]);
  }
}

function folderOf(root: string | undefined): string | undefined {
  return root === undefined ? undefined : `/${root}`;
}

/** Pure: whether a folder such as `/NAME/src` is in one of these roots, by its name. Undefined: all. */
function isInRoots(folder: unknown, roots: readonly string[] | undefined): boolean {
  if (roots === undefined) return true;
  const parts = typeof folder === "string" ? folder.split(/[\\/]/) : [];
  const name = parts.find((part) => part !== "") ?? "";
  return roots.includes(name) && !parts.includes("..");
}
