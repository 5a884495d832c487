/** Reads the input of a tool. The model wrote it, so any field may be missing or wrong. Pure. */
import { isList, type JsonObject } from "../../../base/index.ts";
import { isAbsolute, relative, resolve } from "node:path";

/** The first of the named fields that holds a string with visible characters. */
export function visibleField(object: JsonObject, ...keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = object[key];
    if (typeof value === "string" && value.trim() !== "") return value;
  }
  return undefined;
}

/** The non-empty strings of a field that holds one string or a list of them. */
export function inputStrings(object: JsonObject, key: string): readonly string[] {
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

/** Makes a path from Droid absolute: models also write paths relative to the session's folder. */
export function toolPath(path: string, cwd: string): string {
  return resolve(cwd, path);
}

/** A path for people to read: relative inside the session's folder, absolute outside it. */
export function displayPath(path: string, cwd: string): string {
  const whole = toolPath(path, cwd);
  const inside = relative(cwd, whole);
  if (inside === "") return ".";
  return inside.startsWith("..") || isAbsolute(inside) ? whole : inside;
}
