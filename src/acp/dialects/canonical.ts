import type { JsonObject } from "../../wire/index.ts";
import type { Rewriter } from "../../rpc/index.ts";
import { isObject } from "../parse/guards.ts";
import { nameValueList } from "../parse/name-values.ts";

/**
 * Method names of older and private designs, none of which collides with a name of the protocol.
 * Read as the canonical ones and never sent.
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
 * ACP as the schema has it, tolerant of what is found in the field, for either side of a connection:
 * aliases of methods, and `env` or `headers` given as a map where the wire has a list. What is written
 * is not touched, but for one answer: who asks by `fs/readTextFile` expects the content under `text`
 * and gets it under both names. Total; one instance per connection.
 */
export function canonicalDialect(): Rewriter {
  // Requests whose answer needs `text` beside `content`.
  const wantText = new Set<unknown>();
  return {
    read(message) {
      const method = message["method"];
      // The streamed messages: nothing to look up.
      if (method === "session/update" || typeof method !== "string") return message;
      const canonical = METHOD_ALIASES.get(method);
      if (method === "fs/readTextFile" && message["id"] !== undefined) wantText.add(message["id"]);
      const named = canonical === undefined ? message : { ...message, method: canonical };
      return withLists(canonical ?? method, named);
    },
    write(message) {
      if (wantText.size === 0 || message["method"] !== undefined) return message;
      if (!wantText.delete(message["id"])) return message;
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
      const listed = listUnder(params, "env");
      return listed === params ? message : { ...message, params: listed };
    }
    case "session/new":
    case "session/load":
    case "session/resume":
    case "session/fork": {
      const servers = params["mcpServers"];
      if (!Array.isArray(servers)) return message;
      const listed = servers.map(serverWithLists);
      if (listed.every((server, i) => server === servers[i])) return message;
      return { ...message, params: { ...params, mcpServers: listed } };
    }
    default:
      return message;
  }
}

function serverWithLists(server: unknown): unknown {
  return isObject(server) ? listUnder(listUnder(server, "env"), "headers") : server;
}

function listUnder(object: JsonObject, key: string): JsonObject {
  const given = Object.hasOwn(object, key) ? object[key] : undefined;
  const list = nameValueList(given);
  return list === given ? object : { ...object, [key]: list };
}
