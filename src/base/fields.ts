import { type JsonObject, isJsonObject } from "./json.ts";

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

/**
 * Whether a value is a list. Unlike `Array.isArray`, it narrows a union that has a readonly array.
 */
export function isList<T>(value: T): value is Extract<T, readonly unknown[]> {
  return Array.isArray(value);
}

/** Whether a value is a list of strings. */
export function isStringList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Some fields of `T`. A field that is absent or undefined keeps its default. */
export type Overrides<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** The fields of `T` that are not undefined. */
type DefinedFields<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Copies the fields that are not undefined, so that they can be spread over defaults. */
export function definedFields<T extends object>(given: T | undefined): DefinedFields<T> {
  const fields = Object.entries(given ?? {}).filter(([, value]) => value !== undefined);
  const defined: DefinedFields<T> = Object.assign(
    {},
    ...fields.map(([key, value]) => ({ [key]: value })),
  );
  return defined;
}
