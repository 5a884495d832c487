import { isJsonObject as isObject, type JsonObject } from "../../../base/index.ts";
import type { Rewriter } from "../../../transport/rpc/index.ts";
import { canonicalNameValues } from "../parse/guards.ts";

/**
 * Method names from older and private designs, mapped to the canonical names. None of them collides
 * with a name in the protocol. Dragoman accepts them but never sends them.
 */
export const METHOD_ALIASES: ReadonlyMap<string, string> = new Map([
  ["read_text_file", "fs/read_text_file"],
  ["write_text_file", "fs/write_text_file"],
  ["fs/readTextFile", "fs/read_text_file"],
  ["fs/writeTextFile", "fs/write_text_file"],
  ["create_terminal", "terminal/create"],
  ["terminal_output", "terminal/output"],
  ["wait_for_terminal_exit", "terminal/wait_for_exit"],
  ["kill_terminal", "terminal/kill"],
  ["release_terminal", "terminal/release"],
]);

/**
 * ACP as the schema defines it, for either side of a connection, with tolerance for variants that real
 * peers send: method aliases, and `env` or `headers` as a map instead of a list. Outgoing messages
 * stay as they are, with one exception: a peer that calls `fs/readTextFile` expects the content under
 * `text`, so its response carries the content under both names. Never throws. Create one per connection.
 */
export function canonicalDialect(): Rewriter {
  // Requests whose response needs `text` in addition to `content`.
  const needText = new Set<unknown>();
  return {
    read(message) {
      const method = message["method"];
      // Fast path for streamed messages.
      if (method === "session/update" || typeof method !== "string") return message;
      const canonical = METHOD_ALIASES.get(method);
      if (method === "fs/readTextFile" && message["id"] !== undefined) needText.add(message["id"]);
      const renamed = canonical === undefined ? message : { ...message, method: canonical };
      return withLists(canonical ?? method, renamed);
    },
    write(message) {
      if (needText.size === 0 || message["method"] !== undefined) return message;
      if (!needText.delete(message["id"])) return message;
      const result = message["result"];
      if (!isObject(result) || typeof result["content"] !== "string") return message;
      return { ...message, result: { ...result, text: result["content"] } };
    },
  };
}

function withLists(method: string, message: JsonObject): JsonObject {
  const params = message["params"];
  if (!isObject(params)) return message;
  switch (method) {
    case "terminal/create": {
      const converted = withListAt(params, "env");
      return converted === params ? message : { ...message, params: converted };
    }
    case "session/new":
    case "session/load":
    case "session/resume":
    case "session/fork": {
      const servers = params["mcpServers"];
      if (!Array.isArray(servers)) return message;
      const converted = servers.map(serverWithLists);
      if (converted.every((server, i) => server === servers[i])) return message;
      return { ...message, params: { ...params, mcpServers: converted } };
    }
    default:
      return message;
  }
}

function serverWithLists(server: unknown): unknown {
  return isObject(server) ? withListAt(withListAt(server, "env"), "headers") : server;
}

function withListAt(object: JsonObject, key: string): JsonObject {
  const given = Object.hasOwn(object, key) ? object[key] : undefined;
  const list = canonicalNameValues(given);
  return list === given ? object : { ...object, [key]: list };
}
