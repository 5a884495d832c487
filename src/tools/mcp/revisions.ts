import { isJsonObject, type JsonObject } from "../../wire/index.ts";

/** The revisions of MCP that begin with `initialize`, newest first. */
const CONNECTED_REVISIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

/**
 * The revision without `initialize`: each request names its revision. It is the one of MCP over ACP.
 */
const STATELESS_REVISION = "2026-07-28";

const REVISION_KEY = "io.modelcontextprotocol/protocolVersion";
const SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo";

/** The MCP error for a revision that this server does not speak. */
export const UNSUPPORTED_REVISION = -32022;

/** How this server introduces itself. */
export interface ServerInfo {
  readonly name: string;
  readonly version: string;
}

/** All revisions that `server/discover` and errors list. */
export const STATELESS_REVISIONS: readonly string[] = [STATELESS_REVISION];

/** Whether a server can speak a revision that a client named in an HTTP header. */
export function isKnownRevision(revision: string): boolean {
  return revision === STATELESS_REVISION || isConnectedRevision(revision);
}

/** The revision to answer `initialize` with: the client's if it is known, otherwise the newest. */
export function negotiated(requested: unknown): string {
  const known = typeof requested === "string" && isConnectedRevision(requested);
  return known ? requested : CONNECTED_REVISIONS[0];
}

/** The revision that a request names in its `_meta`; undefined if it names none. */
export function revisionOf(params: JsonObject | undefined): string | undefined {
  const meta = params?.["_meta"];
  const revision = isJsonObject(meta) ? meta[REVISION_KEY] : undefined;
  return typeof revision === "string" ? revision : undefined;
}

/** The form of a result in the stateless revision. Clients may not cache it, as tools may change. */
export function statelessResult(method: string, result: JsonObject, info: ServerInfo): JsonObject {
  const isDiscovery = method === "server/discover";
  const isCacheable = isDiscovery || method === "tools/list";
  return {
    resultType: "complete",
    ...result,
    ...(isCacheable && { ttlMs: 0, cacheScope: "private" }),
    ...(isDiscovery && { _meta: { [SERVER_INFO_KEY]: info } }),
  };
}

function isConnectedRevision(revision: string): boolean {
  return CONNECTED_REVISIONS.some((known) => known === revision);
}
