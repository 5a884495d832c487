import { isJsonObject, type JsonObject } from "../../wire/index.ts";

/** Whether a capability is advertised: true, or any object. `path` is dotted. */
export function hasCapability(capabilities: JsonObject, path: string): boolean {
  let value: unknown = capabilities;
  for (const key of path.split(".")) value = isJsonObject(value) ? value[key] : undefined;
  return value === true || isJsonObject(value);
}
