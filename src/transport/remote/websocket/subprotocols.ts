import { base64Of, bytesOf } from "../../../base/index.ts";

/** The subprotocol that a server of this library echoes. */
export const PLAIN_PROTOCOL = "dragoman";

/** A subprotocol with this prefix carries a token. Servers never echo it. */
const BEARER_PREFIX = "dragoman.bearer.";

/** Pure: the subprotocols that carry a token, for browsers, which cannot send headers. */
export function bearerProtocols(token: string): readonly string[] {
  const encoded = base64Of(new TextEncoder().encode(token));
  const safe = encoded.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return [PLAIN_PROTOCOL, `${BEARER_PREFIX}${safe}`];
}

/** Pure: the token in a list of subprotocols; undefined if none carries one. */
export function tokenInProtocols(protocols: readonly string[]): string | undefined {
  const found = protocols.find((protocol) => protocol.startsWith(BEARER_PREFIX));
  if (found === undefined) return undefined;
  const encoded = found.slice(BEARER_PREFIX.length).replaceAll("-", "+").replaceAll("_", "/");
  const token = new TextDecoder().decode(bytesOf(encoded));
  return token === "" ? undefined : token;
}
