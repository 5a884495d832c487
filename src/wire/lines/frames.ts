/** A JSON object read from the wire. Its fields have not been checked yet. */
export type JsonObject = { readonly [key: string]: unknown };

/** The result of decoding one line. */
export type Decoded =
  | { readonly kind: "frame"; readonly frame: JsonObject; readonly skipped: string }
  | { readonly kind: "batch"; readonly frames: readonly unknown[] }
  | { readonly kind: "noise"; readonly isJson: boolean };

/** Whether a JSON value is an object, as opposed to an array, a scalar or null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses an ordinary line. Returns undefined for any line that needs {@link decodeLine}. */
export function parseFrame(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * How many positions in a line are tried as the start of a frame. The limit keeps the cost linear.
 */
const MAX_RECOVERY_ATTEMPTS = 8;

/**
 * Decodes one line. Never throws.
 *
 * If a frame follows stray text on the same line (such as progress output without its newline), the
 * frame is recovered and `skipped` holds that text. A line without a frame is `noise`.
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
      // No frame starts here: the brace belongs to the stray text, or the frame is cut off.
    }
    at = line.indexOf('{"', at + 1);
  }
  return undefined;
}
