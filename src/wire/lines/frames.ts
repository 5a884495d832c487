/** A JSON object as it came off the wire: nothing about its fields is known yet. */
export type JsonObject = { readonly [key: string]: unknown };

/** What one line turned out to be. */
export type Decoded =
  | { readonly kind: "frame"; readonly frame: JsonObject; readonly skipped: string }
  | { readonly kind: "batch"; readonly frames: readonly unknown[] }
  | { readonly kind: "noise"; readonly isJson: boolean };

/** Tells an object from every other JSON value. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The frame of an ordinary line; undefined where {@link decodeLine} has to look closer. */
export function parseFrame(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A prefix is searched for a glued frame at no more than this many places, to keep the cost linear. */
const MAX_RECOVERY_ATTEMPTS = 8;

/**
 * Reads one line. Never throws.
 *
 * A frame glued behind a stray prefix (a progress text without its newline) is recovered; `skipped`
 * holds the prefix then. A line that is no frame is `noise`.
 */
export function decodeLine(line: string): Decoded {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return recoverFrame(line) ?? { kind: "noise", isJson: false };
  }
  if (isJsonObject(value)) return { kind: "frame", frame: value, skipped: "" };
  if (Array.isArray(value)) return { kind: "batch", frames: value };
  return { kind: "noise", isJson: true };
}

function recoverFrame(line: string): Decoded | undefined {
  let at = line.indexOf('{"', 1);
  for (let attempt = 0; at !== -1 && attempt < MAX_RECOVERY_ATTEMPTS; attempt++) {
    try {
      const value: unknown = JSON.parse(line.slice(at));
      if (isJsonObject(value) && "jsonrpc" in value) {
        return { kind: "frame", frame: value, skipped: line.slice(0, at) };
      }
    } catch {
      // Not here: an opening brace inside the prefix, or a frame that is cut off.
    }
    at = line.indexOf('{"', at + 1);
  }
  return undefined;
}
