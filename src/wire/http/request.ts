/** The headers of a request, with lower-case names, as Node has them. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The part of a request's address that a server decides by. */
export interface HttpTarget {
  /**
   * The path as it was sent. Nothing in it is resolved or decoded, so a path that is written differently
   * is another path, and leads nowhere.
   */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Pure: the only reading of a request's address. Whoever checks a path and whoever serves it use this one. */
export function targetOf(url: string | undefined): HttpTarget {
  const [, path = "", query] = /^([^?#]*)(?:\?([^#]*))?/.exec(url ?? "/") ?? [];
  return { path, query: new URLSearchParams(query) };
}

/** Pure: one value of a header; undefined if it is missing or comes several times. */
export function headerOf(headers: RequestHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : undefined;
}

/** Pure: the token of an `Authorization: Bearer` header; undefined without one. */
export function bearerOf(headers: Readonly<Record<string, unknown>>): string | undefined {
  const name = Object.keys(headers).find((key) => key.toLowerCase() === "authorization");
  const value = name === undefined ? undefined : headers[name];
  return typeof value === "string" ? /^bearer +(\S+) *$/i.exec(value)?.[1] : undefined;
}

const SECRET_NAMES =
  /^(?:(?:access|auth|bearer|api)?[_-]?(?:token|key)|auth|authorization|bearer|password|secret)$/i;

/** Pure: whether an address carries a token. Addresses end up in logs, so it is not a secret anymore. */
export function hasTokenInAddress({ query }: HttpTarget): boolean {
  return [...query.keys()].some((name) => SECRET_NAMES.test(name));
}
