/** Reads the input of a tool. The model wrote it, so any field may be missing or wrong. */
import { isList, type JsonObject } from "../../wire/index.ts";

/** The first of the named fields that holds a string with visible characters. */
export function visibleField(object: JsonObject, ...keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = object[key];
    if (typeof value === "string" && value.trim() !== "") return value;
  }
  return undefined;
}

/** The non-empty strings of a field that holds one string or a list of them. */
export function oneOrManyField(object: JsonObject, key: string): readonly string[] {
  const value = object[key];
  const items: readonly unknown[] = isList(value) ? value : [value];
  return items.filter((item): item is string => typeof item === "string" && item !== "");
}

/** The first line, shortened to `limit` characters: clients show titles in narrow columns. */
export function oneLine(text: string, limit = 120): string {
  const [first = "", ...rest] = text.trim().split("\n");
  const line = first.trim();
  const points = Array.from(line);
  if (points.length > limit) return `${points.slice(0, limit - 1).join("")}…`;
  return rest.some((more) => more.trim() !== "") ? `${line} …` : line;
}
