import { bearerOf, tokenInProtocols } from "../websocket/subprotocols.ts";

/** The headers of a request, as Node has them. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Names of this machine that no other machine can claim. */
export const LOOPBACK_NAMES: readonly string[] = ["127.0.0.1", "localhost", "[::1]"];

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

/** Pure: one value of a header; undefined if it is missing or comes several times. */
export function headerOf(headers: RequestHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : undefined;
}

/** Pure: the host that a request is for. HTTP/2 has a pseudo-header in place of `Host`. */
export function hostOf(headers: RequestHeaders): string | undefined {
  return headerOf(headers, ":authority") ?? headerOf(headers, "host");
}

/** Pure: the subprotocols that a WebSocket offers. */
export function protocolsOf(headers: RequestHeaders): readonly string[] {
  const offered = headerOf(headers, "sec-websocket-protocol") ?? "";
  return offered.split(",").map((protocol) => protocol.trim());
}

/** Pure: the token of a request, never taken from its address. */
export function tokenOf(headers: RequestHeaders): string | undefined {
  return bearerOf(headers) ?? tokenInProtocols(protocolsOf(headers));
}

const SECRET_NAMES =
  /^(?:(?:access|auth|bearer|api)?[_-]?(?:token|key)|auth|authorization|bearer|password|secret)$/i;

/** Pure: whether an address carries a token. Addresses end up in logs, so it is not a secret anymore. */
export function hasTokenInAddress(url: string | undefined): boolean {
  const [, query = ""] = /\?([^#]*)/.exec(url ?? "") ?? [];
  return [...new URLSearchParams(query).keys()].some((name) => SECRET_NAMES.test(name));
}

/** Pure: the path of a request without its query. */
export function pathOf(url: string | undefined): string {
  return (url ?? "/").replace(/[?#].*$/, "");
}

/** Pure: whether a header says that a body is JSON. */
export function isJson(contentType: string | undefined): boolean {
  return contentType?.split(";", 1)[0]?.trim().toLowerCase() === "application/json";
}

/** Pure: whether the client accepts an event stream. */
export function acceptsEvents(accept: string | undefined): boolean {
  return accept?.toLowerCase().includes("text/event-stream") === true;
}
