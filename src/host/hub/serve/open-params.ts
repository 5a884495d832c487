import { isJsonObject, type JsonObject } from "../../../base/index.ts";

/**
 * Pure: the parameters of a request that opens a session, as a server passes them on. Agents read commands,
 * folders and sessions from `_meta`, which no rule knows, so that only the keys of `meta` stay.
 */
export function servedParams(params: JsonObject, meta: readonly string[] = []): JsonObject {
  const { _meta: given, ...rest } = params;
  if (!isJsonObject(given)) return rest;
  const kept = Object.entries(given).filter(([key]) => meta.includes(key));
  return kept.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(kept) };
}
