import { isObject } from "./guards.ts";

export interface NameValue {
  readonly name: string;
  readonly value: string;
}

/**
 * Environment variables or headers given as a map, in the list form of the wire. A list, or anything
 * that is not a map of strings, is returned as it is: validation names what is wrong with it.
 */
export function nameValueList(given: unknown): unknown {
  if (!isObject(given)) return given;
  const list: NameValue[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== "string") return given;
    list.push({ name, value });
  }
  return list;
}
