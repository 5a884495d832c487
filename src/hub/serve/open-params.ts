import { RpcError } from "../../rpc/index.ts";
import { isJsonObject, type JsonObject } from "../../wire/index.ts";
import { isVariant } from "../json/ambiguity.ts";

/** The fields of a request that opens a session, which a server checks. */
const CHECKED = ["cwd", "additionalDirectories", "mcpServers", "sessionId", "_meta"];

/**
 * Pure: the parameters of a request that opens a session, as a server passes them on. Agents read commands,
 * folders and sessions from `_meta`, which no rule knows, so that only the keys of `meta` stay. Throws
 * RpcError for a field that an agent might take for one that is checked.
 */
export function servedParams(params: JsonObject, meta: readonly string[] = []): JsonObject {
  const { _meta: given, ...rest } = params;
  for (const key of Object.keys(rest)) {
    const field = CHECKED.find((name) => isVariant(key, name));
    if (field !== undefined)
      throw RpcError.invalidParams(`${key} must be written ${field}`, { field });
  }
  if (!isJsonObject(given)) return rest;
  const kept = Object.entries(given).filter(([key]) => meta.includes(key));
  return kept.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(kept) };
}
