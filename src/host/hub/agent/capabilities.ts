import { asObject, isJsonObject, type JsonObject } from "../../../base/index.ts";

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

/**
 * Pure: why a process cannot be used that answers `initialize` like this; undefined if it can. `asked` is the
 * version that it may not exceed, if there is one, and `before` what the first process answered.
 */
export function answerProblem(
  result: JsonObject,
  asked: unknown,
  before: JsonObject | undefined,
): string | undefined {
  const { version, capabilities } = announcedIn(result);
  if (typeof asked === "number" && version > asked) {
    return `it answered with version ${version} of the protocol instead of ${asked}`;
  }
  if (!before) return undefined;
  const first = announcedIn(before);
  if (version !== first.version) {
    return `it now speaks version ${version} of the protocol instead of ${first.version}`;
  }
  const missing = missingCapabilities(first.capabilities, capabilities);
  return missing.length > 0 ? `it no longer offers ${missing.join(", ")}` : undefined;
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
