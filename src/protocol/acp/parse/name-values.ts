import type { Meta } from "../meta.ts";
import { isObject } from "./guards.ts";

/** An environment variable or a header. */
export interface NameValue {
  readonly name: string;
  /** The value. */
  readonly value: string;
  /** The `_meta` of this pair. */
  readonly _meta?: Meta | null | undefined;
}

/**
 * Converts environment variables or headers from a map to the list form of the wire. Returns any value
 * that is not a map of strings unchanged; validation then reports what is wrong with it.
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
