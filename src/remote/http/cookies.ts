/** Load balancers use few cookies. */
const MAX_COOKIES = 32;
const MAX_CHARS = 4096;

/**
 * The cookies of one server, which the transport has to return so that all requests of a connection reach
 * the same machine. Browsers keep their own and show none of them.
 */
export class CookieJar {
  readonly #cookies = new Map<string, string>();

  /** Takes over the cookies of an answer. */
  store(headers: Headers): void {
    for (const cookie of headers.getSetCookie?.() ?? []) this.#set(cookie);
  }

  /** The header to send; undefined if there are no cookies. */
  header(): string | undefined {
    if (this.#cookies.size === 0) return undefined;
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  #set(cookie: string): void {
    const [pair = "", ...attributes] = cookie.split(";");
    const at = pair.indexOf("=");
    const name = pair.slice(0, at).trim();
    const value = pair.slice(at + 1).trim();
    if (at < 1 || name === "" || cookie.length > MAX_CHARS) return;
    this.#cookies.delete(name);
    if (attributes.some(isExpired)) return;
    if (this.#cookies.size < MAX_COOKIES) this.#cookies.set(name, value);
  }
}

function isExpired(attribute: string): boolean {
  const [name = "", value = ""] = attribute.split("=").map((part) => part.trim());
  if (name.toLowerCase() === "max-age") return Number(value) <= 0;
  return name.toLowerCase() === "expires" && Date.parse(value) <= Date.now();
}
