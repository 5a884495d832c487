import { REDACTED, redactText } from "../../wire/index.ts";
import type { McpEntry } from "../settings/schema.ts";

/** Shorter values are words such as `true`, and would be hidden everywhere. */
const SHORTEST_SECRET = 8;

/** Addresses and paths are no secrets, and hiding them would hide what a message is about. */
const NO_SECRET = /^(?:https?:|[./~\w-]*\/)/;

/** Hides secrets in text that is printed or written down. */
export interface Secrets {
  /** Hides the values that settings hand out. */
  hideKnown(text: string): string;
  /** Hides them, and whatever looks like a secret. */
  hideAll(text: string): string;
}

/**
 * The values that settings hand to agents and MCP servers may turn up anywhere an agent writes, so
 * they are hidden by value, not only by the field they stand in.
 */
export function secretHider(
  env: Readonly<Record<string, string>>,
  servers: readonly McpEntry[],
): Secrets {
  const known = [
    ...Object.values(env),
    ...servers.flatMap((server) => Object.values("url" in server ? server.headers : server.env)),
  ]
    .filter((value) => value.length >= SHORTEST_SECRET && !NO_SECRET.test(value))
    .toSorted((a, b) => b.length - a.length);
  const hideKnown = (text: string): string =>
    known.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
  return { hideKnown, hideAll: (text) => redactText(hideKnown(text)) };
}
