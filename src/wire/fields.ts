import { isJsonObject, type JsonObject } from "./lines/frames.ts";

/*
 * Readers for fields of untrusted JSON. Each returns undefined, or an empty list, if the field is
 * missing or has another type.
 */

export function stringField(object: JsonObject, key: string): string | undefined {
  const value = object[key];
  return typeof value === "string" ? value : undefined;
}

/** A finite number. */
export function numberField(object: JsonObject, key: string): number | undefined {
  const value = object[key];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function booleanField(object: JsonObject, key: string): boolean | undefined {
  const value = object[key];
  return typeof value === "boolean" ? value : undefined;
}

export function objectField(object: JsonObject, key: string): JsonObject | undefined {
  const value = object[key];
  return isJsonObject(value) ? value : undefined;
}

/** The objects of a list; other items are left out. */
export function objectsField(object: JsonObject, key: string): readonly JsonObject[] {
  const value = object[key];
  return Array.isArray(value) ? value.filter((item) => isJsonObject(item)) : [];
}

/** The strings of a list; other items are left out. */
export function stringsField(object: JsonObject, key: string): readonly string[] {
  const value = object[key];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** The value itself if it is an object, otherwise an empty object. */
export function asObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/**
 * Both objects in one. A bundler drops an unused result of this function, but keeps every spread at the
 * top of a module, because a spread can run code.
 */
/* @__NO_SIDE_EFFECTS__ */
export function merged<A extends object, B extends object>(first: A, second: B): A & B {
  return { ...first, ...second };
}
