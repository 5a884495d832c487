import { REDACTED, redactText } from "../../wire/index.ts";
import type { McpEntry } from "../settings/schema.ts";

/** Shorter values are often words such as `true`, which must not be hidden everywhere. */
const SHORTEST_SECRET = 8;

/** Addresses and paths are not secrets, and messages would be useless without them. */
const NOT_SECRET = /^(?:https?:|[./~\w-]*\/)/;

/** Hides secrets in text that is printed or recorded. */
export interface Secrets {
  /** Hides the values that come from the settings. */
  hideKnown(text: string): string;
  /** Hides them and everything that looks like a secret. */
  hideAll(text: string): string;
}

/**
 * The values that the settings pass to agents and MCP servers may appear anywhere in an agent's
 * output, so they are hidden by value and not only by the name of their field.
 */
export function secretHider(
  env: Readonly<Record<string, string>>,
  servers: readonly McpEntry[],
): Secrets {
  const known = [
    ...Object.values(env),
    ...servers.flatMap((server) => Object.values("url" in server ? server.headers : server.env)),
  ]
    .filter((value) => value.length >= SHORTEST_SECRET && !NOT_SECRET.test(value))
    .toSorted((a, b) => b.length - a.length);
  const hideKnown = (text: string): string =>
    known.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
  return { hideKnown, hideAll: (text) => redactText(hideKnown(text)) };
}
