import { asObject, isJsonObject, type JsonObject } from "../../wire/index.ts";

/** The version of the protocol and the capabilities in the result of `initialize`. */
export function announcedIn(result: JsonObject): {
  readonly version: number;
  readonly capabilities: JsonObject;
} {
  const { protocolVersion } = result;
  const version = typeof protocolVersion === "number" ? protocolVersion : 1;
  return {
    version,
    capabilities: asObject(result[version >= 2 ? "capabilities" : "agentCapabilities"]),
  };
}

/** The capabilities that were announced before and are not there anymore, as paths. */
export function missingCapabilities(
  before: JsonObject,
  after: JsonObject,
  path = "",
): readonly string[] {
  return Object.entries(before).flatMap(([key, value]) => {
    const at = path === "" ? key : `${path}.${key}`;
    const now = after[key];
    if (key === "_meta" || value === false || value === null || value === undefined) return [];
    if (isJsonObject(value)) return isJsonObject(now) ? missingCapabilities(value, now, at) : [at];
    return now === undefined || now === null || now === false ? [at] : [];
  });
}
