/** A JSON object read from the wire. Its fields have not been checked yet. */
export type JsonObject = { readonly [key: string]: unknown };

/** The result of decoding one line. */
export type Decoded =
  | {
      readonly kind: "frame";
      /** The message. */
      readonly frame: JsonObject;
      /** Text before the message in the same line, such as stray output; usually empty. */
      readonly skipped: string;
    }
  | {
      readonly kind: "batch";
      /** The elements of the array. */
      readonly frames: readonly unknown[];
    }
  | {
      readonly kind: "noise";
      /** Whether the line is JSON, although not a message. */
      readonly isJson: boolean;
      /**
       * Set if the line is nested too deeply, over 500 levels: its frame, or an empty object if the
       * line was too long to parse at such a depth, or is a batch.
       */
      readonly tooDeep?: JsonObject | undefined;
    };

/**
 * How deep a frame may be nested. Protocol messages have a few levels. Code that walks or serializes a
 * value recurses, and a hostile depth overflows its stack.
 */
export const MAX_FRAME_DEPTH = 500;

/** Each level takes at least its two brackets, so a shorter line cannot be nested too deeply. */
const MIN_DEEP_CHARS = 2 * MAX_FRAME_DEPTH;

/**
 * Parsing takes about 40 bytes per open level: 2.7 GB for a line of 64 MiB. The depth of a longer line
 * is therefore measured in its text, before parsing. That costs a third of the time of parsing, so
 * shorter lines are measured after parsing, which costs almost nothing.
 */
const MAX_UNMEASURED_CHARS = 2 * 1024 * 1024;

/** Whether a JSON value is an object, as opposed to an array, a scalar or null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses JSON. Returns undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses an ordinary line. Returns undefined for any line that needs decodeLine. */
export function parseJsonObject(line: string): JsonObject | undefined {
  if (line.charCodeAt(0) !== OPENING && !canBeJson(line)) return undefined;
  if (isTextTooDeep(line)) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) && !isTooDeep(line, value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether a line may be JSON, judged by its first character. An error of JSON.parse costs about fifty
 * times as much, which matters when a program prints millions of lines that are not messages.
 */
function canBeJson(line: string): boolean {
  const first = line.charCodeAt(0);
  if (first === OPENING || first === OPENING_LIST || first <= SPACE) return true;
  if (first === LETTER_T || first === LETTER_F || first === LETTER_N) {
    return /^(?:true|false|null)\s*$/.test(line);
  }
  return first === QUOTE || first === MINUS || (first >= DIGIT_0 && first <= DIGIT_9);
}

const TOO_DEEP_TO_PARSE: Decoded = { kind: "noise", isJson: false, tooDeep: {} };

/** How many positions in a line are tried as the start of a frame, to keep the cost linear. */
const MAX_RECOVERY_ATTEMPTS = 8;

/**
 * Decodes one line. Never throws.
 *
 * If a frame follows stray text on the same line (such as progress output without its newline), the
 * frame is recovered and `skipped` holds that text. A line without a frame is `noise`, and so is a
 * frame that is nested too deeply.
 */
export function decodeLine(line: string): Decoded {
  if (isTextTooDeep(line)) return TOO_DEEP_TO_PARSE;
  if (!canBeJson(line)) return recoverFrame(line) ?? { kind: "noise", isJson: false };
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return recoverFrame(line) ?? { kind: "noise", isJson: false };
  }
  if (isJsonObject(value)) return decodedFrame(line, value, "");
  if (Array.isArray(value)) {
    if (isTooDeep(line, value)) return { kind: "noise", isJson: true, tooDeep: {} };
    return { kind: "batch", frames: value };
  }
  return { kind: "noise", isJson: true };
}

function recoverFrame(line: string): Decoded | undefined {
  let at = line.indexOf('{"', 1);
  for (let attempt = 0; at !== -1 && attempt < MAX_RECOVERY_ATTEMPTS; attempt++) {
    const rest = line.slice(at);
    if (isTextTooDeep(rest)) return TOO_DEEP_TO_PARSE;
    try {
      const value: unknown = JSON.parse(rest);
      if (isJsonObject(value) && "jsonrpc" in value) {
        return decodedFrame(line, value, line.slice(0, at));
      }
    } catch {
      // No frame starts here: the brace belongs to the stray text, or the frame is cut off.
    }
    at = line.indexOf('{"', at + 1);
  }
  return undefined;
}

function decodedFrame(line: string, frame: JsonObject, skipped: string): Decoded {
  if (isTooDeep(line, frame)) return { kind: "noise", isJson: true, tooDeep: frame };
  return { kind: "frame", frame, skipped };
}

function isTooDeep(line: string, value: object): boolean {
  return line.length > MIN_DEEP_CHARS && isDeeperThan(value, MAX_FRAME_DEPTH);
}

/**
 * Whether a JSON value is nested more than `levels` deep. Recurses no deeper than that. Its cost is a few percent of that of parsing: `for in` creates no
 * list, and a call for every text and number would take longer than the rest.
 */
export function isDeeperThan(value: object, levels: number): boolean {
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    for (const child of list) {
      if (typeof child === "object" && child !== null && isDeeperThan(child, levels - 1))
        return true;
    }
  } else if (isJsonObject(value)) {
    for (const key in value) {
      const child = value[key];
      if (typeof child === "object" && child !== null && isDeeperThan(child, levels - 1))
        return true;
    }
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `[` and `{`, and `]` and `}`, are equal but for this bit. */
const BRACKET_BIT = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;
const OPENING_LIST = 0x5b;
const SPACE = 0x20;
const MINUS = 0x2d;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const LETTER_F = 0x66;
const LETTER_N = 0x6e;
const LETTER_T = 0x74;

/** Whether a long line opens more levels than allowed. Brackets in strings do not count. */
function isTextTooDeep(line: string): boolean {
  if (line.length <= MAX_UNMEASURED_CHARS) return false;
  let depth = 0;
  for (let at = 0; at < line.length; at++) {
    const char = line.charCodeAt(at);
    if (char === QUOTE) {
      at = endOfString(line, at);
      if (at === -1) return false;
      continue;
    }
    const bracket = char | BRACKET_BIT;
    if (bracket === OPENING && ++depth > MAX_FRAME_DEPTH) return true;
    if (bracket === CLOSING) depth--;
  }
  return false;
}

/** The position of the quote that ends the string, or -1 if there is none. */
function endOfString(line: string, start: number): number {
  let end = line.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(line, end)) end = line.indexOf('"', end + 1);
  return end;
}

function isEscaped(line: string, at: number): boolean {
  let before = at - 1;
  while (line.charCodeAt(before) === BACKSLASH) before--;
  return (at - before) % 2 === 0;
}

/*
 * Readers for fields of untrusted JSON. Each returns undefined, or an empty list, if the field is
 * missing or has another type.
 */

export function stringField(object: JsonObject, key: string): string | undefined {
  const value = object[key];
  return typeof value === "string" ? value : undefined;
}

/** A finite number. */
export function numberField(object: JsonObject, key: string): number | undefined {
  const value = object[key];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function booleanField(object: JsonObject, key: string): boolean | undefined {
  const value = object[key];
  return typeof value === "boolean" ? value : undefined;
}

export function objectField(object: JsonObject, key: string): JsonObject | undefined {
  const value = object[key];
  return isJsonObject(value) ? value : undefined;
}

/** The objects of a list; other items are left out. */
export function objectsField(object: JsonObject, key: string): readonly JsonObject[] {
  const value = object[key];
  return Array.isArray(value) ? value.filter((item) => isJsonObject(item)) : [];
}

/** The strings of a list; other items are left out. */
export function stringsField(object: JsonObject, key: string): readonly string[] {
  const value = object[key];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** The value itself if it is an object, otherwise an empty object. */
export function asObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/**
 * Both objects in one. A bundler drops an unused result of this function, but keeps every spread at the
 * top of a module, because a spread can run code.
 */
/* @__NO_SIDE_EFFECTS__ */
export function merged<A extends object, B extends object>(first: A, second: B): A & B {
  return { ...first, ...second };
}

/** Whether a value is a list. Unlike `Array.isArray`, it narrows unions with a readonly array. */
export function isList<T>(value: T): value is Extract<T, readonly unknown[]> {
  return Array.isArray(value);
}

export function isStringList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** The fields, if none of them is undefined. */
export function complete<T extends object>(
  fields: T,
): { [K in keyof T]: Exclude<T[K], undefined> } | undefined {
  return isComplete(fields) ? fields : undefined;
}

function isComplete<T extends object>(
  fields: T,
): fields is T & { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.values(fields).every((value) => value !== undefined);
}

/** Some fields of `T`. A field that is absent or undefined keeps its default. */
export type Overrides<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** The fields of `T` that are not undefined. */
type DefinedFields<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Copies the fields that are not undefined, so that they can be spread over defaults. */
export function definedFields<T extends object>(given: T | undefined): DefinedFields<T> {
  const fields = Object.entries(given ?? {}).filter(([, value]) => value !== undefined);
  const defined: DefinedFields<T> = Object.assign(
    {},
    ...fields.map(([key, value]) => ({ [key]: value })),
  );
  return defined;
}

/** The object without some of its keys. */
export function without(object: JsonObject, ...keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

export function isStringMap(value: unknown): value is Readonly<Record<string, string>> {
  return isJsonObject(value) && Object.values(value).every((item) => typeof item === "string");
}
