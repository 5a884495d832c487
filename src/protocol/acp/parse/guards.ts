import { isJsonObject as isObject } from "../../../base/index.ts";
import type { ContentBlock, ToolCallContent, ToolCallLocation } from "../types.ts";
import type { Meta } from "../meta.ts";

/*
 * Guards for values that arrive with updates, written by hand because they run once per streamed token,
 * and readers of fields that several messages have. Like `accepts` of a shape, each guard checks only the
 * fields that the schema requires: an optional field of the wrong type is no reason to lose the value.
 */

/** The value if it is a string, else undefined. For optional fields, where null means omitted. */
export function stringOrUndefined(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The value if it is a string or null, which clears a field; else undefined, which keeps it. */
export function stringOrNull(value: unknown): string | null | undefined {
  return typeof value === "string" || value === null ? value : undefined;
}

/** True for the five content blocks of v1 with their required fields. */
export function isContentBlock(value: unknown): value is ContentBlock {
  if (!isObject(value)) return false;
  // Most streamed blocks are text.
  switch (value["type"]) {
    case "text":
      return typeof value["text"] === "string";
    case "image":
    case "audio":
      return typeof value["data"] === "string" && typeof value["mimeType"] === "string";
    case "resource_link":
      return typeof value["uri"] === "string" && typeof value["name"] === "string";
    case "resource":
      return isResource(value["resource"]);
    default:
      return false;
  }
}

function isResource(value: unknown): boolean {
  if (!isObject(value) || typeof value["uri"] !== "string") return false;
  return typeof value["text"] === "string" || typeof value["blob"] === "string";
}

export function isToolCallContent(value: unknown): value is ToolCallContent {
  if (!isObject(value)) return false;
  switch (value["type"]) {
    case "content":
      return isContentBlock(value["content"]);
    case "diff":
      return typeof value["path"] === "string" && typeof value["newText"] === "string";
    case "terminal":
      return typeof value["terminalId"] === "string";
    default:
      return false;
  }
}

export function isToolCallLocation(value: unknown): value is ToolCallLocation {
  return isObject(value) && typeof value["path"] === "string";
}

/** Keeps the valid items: the array itself if all are valid, else a copy; undefined for a non-array. */
export function onlyValid<T>(
  value: unknown,
  valid: (item: unknown) => item is T,
): readonly T[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.every(valid) ? value : value.filter(valid);
}

/** An environment variable or a header. */
export interface NameValue {
  readonly name: string;
  readonly value: string;
  readonly _meta?: Meta | null | undefined;
}

/**
 * Converts environment variables or headers from a map to the list form of the wire. Returns any value
 * that is not a map of strings unchanged; validation then reports what is wrong with it.
 */
export function canonicalNameValues(given: unknown): unknown {
  if (!isObject(given)) return given;
  const list: NameValue[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== "string") return given;
    list.push({ name, value });
  }
  return list;
}

/** Absolute on POSIX or on Windows, because peers across a container or WSL boundary may differ. */
export function isAbsolutePath(value: unknown): value is string {
  if (typeof value !== "string" || value.includes("\0")) return false;
  return value.startsWith("/") || value.startsWith("\\\\") || /^[A-Za-z]:[\\/]/.test(value);
}
