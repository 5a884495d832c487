import { isLoopback } from "../../../transport/wire/index.ts";

/** Pure: whether a text is the address of an agent on a server. It must not contain a password. */
export function isAgentAddress(text: string): boolean {
  if (!/^(?:ws|http)s?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === "" && password === "";
}

/** Pure: an address without its query, which may be secret. */
export function shownAgentAddress(text: string): string {
  const { protocol, host, pathname } = new URL(text);
  return `${protocol}//${host}${pathname}`;
}

/** Pure: whether an address always means this machine, without resolving it. */
export function isLocalAgentAddress(text: string): boolean {
  const host = new URL(text).hostname.replace(/^\[|\]$/g, "");
  return host === "localhost" || isLoopback(host);
}
