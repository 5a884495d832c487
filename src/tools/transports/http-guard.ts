import type { IncomingHttpHeaders } from "node:http";
import { isKnownRevision } from "../mcp/revisions.ts";
import type { ServerToken } from "./token.ts";

/** The parts of a request that decide whether it is served. */
export interface GuardedRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/** Why a request is not served. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const MCP_PATH = "/mcp";

/**
 * Decides whether a request is served; undefined if it is. `Host` and `Origin` are checked first: a web
 * page whose name was pointed at this machine must learn nothing.
 */
export function refusalOf(
  { method, url, headers }: GuardedRequest,
  token: ServerToken,
  port: number,
): Refusal | undefined {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const { host = "", origin, authorization = "" } = headers;
  if (!hosts.includes(host)) return { status: 403, message: "Host is not allowed" };
  if (origin !== undefined && !hosts.some((known) => origin === `http://${known}`)) {
    return { status: 403, message: "Origin is not allowed" };
  }
  const [, given] = /^bearer (.*)$/i.exec(authorization) ?? [];
  if (given === undefined || !token.matches(given)) {
    return { status: 401, message: "Unauthorized" };
  }
  if (url !== MCP_PATH) return { status: 404, message: "Not found" };
  if (method !== "POST" && method !== "DELETE") {
    return { status: 405, message: "Method not allowed", headers: { allow: "POST, DELETE" } };
  }
  const revision = headers["mcp-protocol-version"];
  if (typeof revision === "string" && !isKnownRevision(revision)) {
    return { status: 400, message: "Unsupported protocol version" };
  }
  return undefined;
}
