import { isJsonObject, type JsonObject } from "../../base/index.ts";

export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function objectsOf(value: unknown): JsonObject[] {
  return arrayOf(value).filter(isJsonObject);
}

export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Parses tool arguments, which are JSON text in some dialects. Invalid JSON is returned as text. */
export function parseLoosely(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
