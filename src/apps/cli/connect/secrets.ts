import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { createRedactor, REDACTED, secretsInAddresses, valueHider } from "../../../base/index.ts";
import type { SelectedAgent } from "../agents/select.ts";
import type { McpEntry } from "../settings/schema.ts";

/** Shorter values are often words such as `true`, which must not be hidden everywhere. */
const SHORTEST_SECRET = 8;

/** Shorter lines of a value with several lines are often only its punctuation. */
const SHORTEST_LINE = 16;

/** Hides secrets in text that is printed or recorded. */
export interface Secrets {
  readonly values: readonly string[];
  hideKnown(text: string): string;
  /** Hides them and everything that looks like a secret. */
  hideAll(text: string): string;
  /** The same for a text whose end was cut off, perhaps in the middle of a value. */
  hideAllCut(text: string): string;
}

/**
 * The values that the settings pass to agents and MCP servers may appear anywhere in an agent's
 * output, so they are hidden by value and not only by the name of their field.
 */
export function secretHider(
  agent: Pick<SelectedAgent, "env" | "from" | "remote">,
  servers: readonly McpEntry[],
): Secrets {
  const addresses = [
    agent.remote?.url ?? "",
    ...servers.map((server) => ("url" in server ? server.url : "")),
  ].flatMap(addressSecrets);
  const variables = [
    // The variables of the catalogue and of Dragoman itself are public.
    ...(agent.from === "settings" ? Object.values(agent.env) : []),
    ...Object.values(agent.remote?.headers ?? {}),
    ...servers.flatMap((server) => Object.values("url" in server ? server.headers : server.env)),
  ].flatMap(secretsIn);
  const values = [...variables, ...addresses];
  const hideAll = createRedactor(values).text;
  return {
    values,
    hideKnown: valueHider(values),
    hideAll,
    hideAllCut: (text) => hideAll(hideBeginning(text, values)),
  };
}

/**
 * The value, and the parts of it that appear alone: the token of `Bearer TOKEN`, the secrets in an
 * address, and the lines of a key. Paths and addresses are not secrets, and messages would be useless
 * without them.
 */
function secretsIn(value: string): readonly string[] {
  if (isPlainAddress(value) || (isAbsolute(value) && existsSync(value))) return [];
  const token = /^\w+ +(\S+)$/.exec(value)?.[1] ?? "";
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  return [
    ...[value, token].filter((part) => part.length >= SHORTEST_SECRET),
    ...addressSecrets(value),
    ...(lines.length > 1 ? lines.filter((line) => line.length >= SHORTEST_LINE) : []),
  ];
}

/** A query may carry a key, so an address with one is not plain. */
function isPlainAddress(value: string): boolean {
  const url = addressIn(value);
  return (
    url !== undefined &&
    [url.username, url.password, url.search, url.hash].every((part) => part === "")
  );
}

/** The secrets in the addresses of a text, as they are written and as they are meant. */
function addressSecrets(text: string): readonly string[] {
  const secrets = secretsInAddresses(text).flatMap((secret) => {
    try {
      return [secret, decodeURIComponent(secret)];
    } catch {
      return [secret];
    }
  });
  return [...new Set(secrets)].filter((secret) => secret.length >= SHORTEST_SECRET);
}

function addressIn(value: string): URL | undefined {
  const looksLikeOne = /^[a-z][a-z\d+.-]*:\/\/[^\s"'\\]+$/i.test(value);
  return looksLikeOne && URL.canParse(value) ? new URL(value) : undefined;
}

/** Hides the beginning of a value at the end of a text. */
function hideBeginning(text: string, values: readonly string[]): string {
  for (const value of values) {
    for (let length = value.length - 1; length >= SHORTEST_SECRET; length--) {
      if (text.endsWith(value.slice(0, length))) return text.slice(0, -length) + REDACTED;
    }
  }
  return text;
}
