import type { JSONObject, JSONValue } from "@ai-sdk/provider";

/** A copy of a value that contains only JSON. Null if the value itself cannot be written as JSON. */
export function toJson(value: unknown): JSONValue {
  if (Array.isArray(value)) return value.map((item) => toJson(item));
  if (typeof value === "object" && value !== null) return toJsonObject(value);
  if (typeof value === "string" || typeof value === "boolean") return value;
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** The fields of an object as JSON, without those that are undefined. */
export function toJsonObject(value: object): JSONObject {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .map(([key, field]) => [key, toJson(field)]),
  );
}
