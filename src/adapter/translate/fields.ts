/** Reading loosely typed values: a tool's input is whatever the model wrote. */
import type { JsonObject } from "../../wire/index.ts";

/** A text that says something; undefined for anything else. */
export function wordOf(object: JsonObject, ...keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = object[key];
    if (typeof value === "string" && value.trim() !== "") return value;
  }
  return undefined;
}

/** A text, the empty one included. */
export function stringOf(object: JsonObject, key: string): string | undefined {
  const value = object[key];
  return typeof value === "string" ? value : undefined;
}

export function numberIn(object: JsonObject, key: string): number | undefined {
  const value = object[key];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Texts, whether one or a list of them was given. */
export function wordsOf(object: JsonObject, key: string): readonly string[] {
  const value = object[key];
  if (typeof value === "string") return value === "" ? [] : [value];
  if (!Array.isArray(value)) return [];
  return value.filter((one): one is string => typeof one === "string" && one !== "");
}

/** The first line, shortened to what fits on one: titles are shown in narrow places. */
export function oneLine(text: string, limit = 120): string {
  const [first = "", ...rest] = text.trim().split("\n");
  const line = first.trim();
  const points = Array.from(line);
  if (points.length > limit) return `${points.slice(0, limit - 1).join("")}…`;
  return rest.some((more) => more.trim() !== "") ? `${line} …` : line;
}
