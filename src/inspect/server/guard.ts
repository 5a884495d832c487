import {
  bearerOf,
  headerOf,
  isAllowedHost,
  isAllowedOrigin,
  LOOPBACK_NAMES,
  namesWithPort,
  type RequestHeaders,
} from "../../remote/index.ts";

/** The parts of a request that decide whether it is served. */
export interface InspectRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: RequestHeaders;
}

/** Why a request is not served. */
export interface InspectRefusal {
  readonly status: 401 | 403 | 405;
  readonly message: string;
}

/** Values of `Sec-Fetch-Site` for requests of our own page, and for addresses that a person opened. */
const OWN_SITES: readonly (string | undefined)[] = [undefined, "same-origin", "none"];

/** The paths that need the token. The page itself holds no data. */
const GUARDED = /^\/api\//;

/**
 * Decides whether a request is served; undefined if it is. Pure. `Host` comes first: a web page whose name
 * was pointed at this machine must learn nothing, and its requests carry no `Origin`.
 */
export function inspectRefusal(
  { method, url = "", headers }: InspectRequest,
  port: number,
  isToken: (given: string) => boolean,
): InspectRefusal | undefined {
  const hosts = namesWithPort(LOOPBACK_NAMES, port, false);
  if (!isAllowedHost(headerOf(headers, "host"), hosts))
    return { status: 403, message: "this Host is not allowed" };
  const origins = hosts.map((host) => `http://${host}`);
  if (!isAllowedOrigin(headerOf(headers, "origin"), origins))
    return { status: 403, message: "this Origin is not allowed" };
  if (!OWN_SITES.includes(headerOf(headers, "sec-fetch-site")))
    return { status: 403, message: "requests from other sites are not allowed" };
  if (method !== "GET") return { status: 405, message: "only GET is allowed" };
  if (!GUARDED.test(url)) return undefined;
  const given = bearerOf(headers);
  if (given === undefined || !isToken(given)) return { status: 401, message: "the token is wrong" };
  return undefined;
}
