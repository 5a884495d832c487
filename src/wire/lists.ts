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
