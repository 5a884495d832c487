import { decodeLine, isJsonObject } from "../json.ts";
import { hideTokens, REDACTED, isSecretName } from "./secrets.ts";

/** Lists and maps in which every value counts as a secret, regardless of its name. */
const SECRET_CONTAINER = /^(?:.*[-_])?(?:env|headers)$/i;
const SECRET_CAMEL_CONTAINER = /(?:Env|Headers)$/;

/** Argument lists, in which a flag shows whether its own value or the next argument is a secret. */
const ARGUMENT_LIST = /^(?:args|argv|command)$/;

const SECRET_IN_TEXT =
  /((?:authorization|password|passwd|passphrase|secret|token|(?:api|access|private|secret)[-_]?key)\\*["']?\s*[=:]\s*(?:bearer\s+|basic\s+)?)("(?:[^"\\]|\\.)*"?|'[^']*'?|\\+"[^"]*"?|[^\s"',;}]+)/gi;
const BEARER_IN_TEXT = /\b(bearer\s+)[\w.~+/=-]{8,}/gi;
const COOKIE_IN_TEXT = /(cookie\\*["']?\s*[=:]\s*)[^\r\n]+/gi;
/** The rest of a truncated message from `env` or `headers` on: any value may be secret. */
const CONTAINER_IN_TEXT = /((?:env|headers)\\*"\s*:\s*)[[{][^]*/i;

/** Removes secrets from lines, texts and values. */
export interface Redactor {
  /**
   * Redacts the secrets in one line: the values of `env` and `headers`, fields named like a token,
   * key or password, and tokens in any text, at any depth. A line without secrets is returned
   * unchanged.
   */
  readonly line: (line: string) => string;
  /** Redacts text that looks like a secret in free text (a log line, stderr, a truncated message). */
  readonly text: (text: string) => string;
  /** Returns a copy of the value with its secrets redacted, or the value itself if it has none. */
  readonly value: (value: unknown) => unknown;
}

/** Creates a redactor that also hides these values, wherever they appear and however escaped. */
/* @__NO_SIDE_EFFECTS__ */
export function createRedactor(secrets: readonly string[] = []): Redactor {
  const hideValues = valueHider(secrets);
  const hide: Hide = (text) => hideTokens(hideValues(text));
  const text = (from: string): string => redactNamed(hide(from));
  const value = (from: unknown): unknown => redactFields(from, hide);
  const json = (line: string, prefix: string, from: unknown): string => {
    const clean = value(from);
    const start = text(prefix);
    return clean === from && start === prefix ? line : start + JSON.stringify(clean);
  };
  const line = (from: string): string => {
    const decoded = decodeLine(from);
    try {
      switch (decoded.kind) {
        case "frame":
          return json(from, decoded.skipped, decoded.frame);
        case "batch":
          return json(from, "", decoded.frames);
        case "noise":
          return decoded.tooDeep ? REDACTED : text(from);
      }
    } catch {
      // A batch that is nested deeper than the stack allows, like a frame that is nested too deeply, is
      // hidden entirely.
      return REDACTED;
    }
  };
  return { line, text, value };
}

/** Knows no values: it goes by the names of fields and by shape. */
const plain = createRedactor();

/**
 * Redacts the secrets in one line, by the names of fields and by shape, at any depth. A line without
 * secrets is returned unchanged.
 */
export function redactLine(line: string): string {
  return plain.line(line);
}

/** Redacts text that looks like a secret in free text (a log line, stderr, a truncated message). */
export function redactText(text: string): string {
  return plain.text(text);
}

/** Returns a copy of the value with its secrets redacted, or the value itself if it has none. */
export function redactValue(value: unknown): unknown {
  return plain.value(value);
}

/** Hides secrets in a text that may be ordinary prose. */
type Hide = (text: string) => string;

/** Hides the values that follow the name of a secret. */
function redactNamed(text: string): string {
  return text
    .replace(CONTAINER_IN_TEXT, `$1${REDACTED}`)
    .replace(SECRET_IN_TEXT, (_, name: string, value: string) => name + inQuotesOf(value))
    .replace(BEARER_IN_TEXT, `$1${REDACTED}`)
    .replace(COOKIE_IN_TEXT, `$1${REDACTED}`);
}

function redactFields(value: unknown, hide: Hide): unknown {
  if (typeof value === "string") return hide(value);
  const clean = mapChildren(value, (child, key) => {
    if (key === undefined) return redactFields(child, hide);
    switch (kindOf(key)) {
      case "container":
        return redactEntries(child, hide);
      case "secret":
        return hideText(child);
      case "arguments":
        return Array.isArray(child) ? redactArguments(child, hide) : redactFields(child, hide);
      case "plain":
        return redactFields(child, hide);
    }
  });
  return mapKeys(clean, hide);
}

type FieldKind = "container" | "secret" | "arguments" | "plain";

function fieldKind(name: string): FieldKind {
  if (SECRET_CONTAINER.test(name) || SECRET_CAMEL_CONTAINER.test(name)) return "container";
  if (isSecretName(name)) return "secret";
  return ARGUMENT_LIST.test(name) ? "arguments" : "plain";
}

/** The kinds of the first names: a recording has few different ones, and each of them thousands of times. */
const kinds = /* @__PURE__ */ new Map<string, FieldKind>();
const MOST_KINDS = 1000;
const LONGEST_NAME = 64;

function kindOf(name: string): FieldKind {
  const known = kinds.get(name);
  if (known !== undefined) return known;
  const kind = fieldKind(name);
  if (kinds.size < MOST_KINDS && name.length <= LONGEST_NAME) kinds.set(name, kind);
  return kind;
}

/** Hides the value in `--token=value` and the argument after `--token`. */
function redactArguments(args: readonly unknown[], hide: Hide): unknown {
  let followsSecretFlag = false;
  return mapChildren(args, (arg) => {
    if (typeof arg !== "string") return redactFields(arg, hide);
    const [name = ""] = arg.replace(/^-+/, "").split("=", 1);
    const named = isSecretName(name);
    const isFlag = arg.startsWith("-");
    const hidden =
      followsSecretFlag && !isFlag ? REDACTED : named ? hideAfterName(arg) : redactNamed(hide(arg));
    followsSecretFlag = named && isFlag && !arg.includes("=");
    return hidden;
  });
}

/** Hides only text: a number under such a key (`token: 12`) is a token count. */
function hideText(value: unknown): unknown {
  if (typeof value === "string") return value === "" ? value : REDACTED;
  return mapChildren(value, hideText);
}

/** Takes `[{ name, value }]` as in ACP, a map, `NAME=value` strings, and pairs. */
function redactEntries(entries: unknown, hide: Hide): unknown {
  if (typeof entries === "string") return redactNamed(hide(entries));
  if (!Array.isArray(entries)) return mapChildren(entries, hideAll);
  return mapChildren(entries, (entry) => {
    if (typeof entry === "string") return hideAssigned(entry);
    if (Array.isArray(entry)) return [entry[0], ...entry.slice(1).map(hideAll)];
    if (!isJsonObject(entry)) return hideAll(entry);
    return mapChildren(entry, (child, key) =>
      key === "name" || key === "key" ? child : hideAll(child),
    );
  });
}

function hideAll(value: unknown): unknown {
  if (value === null) return value;
  return typeof value === "object" ? mapChildren(value, hideAll) : REDACTED;
}

/** An entry without a name is hidden entirely. */
function hideAssigned(entry: string): string {
  return entry.includes("=") ? hideAfterName(entry) : REDACTED;
}

function hideAfterName(assignment: string): string {
  const end = assignment.indexOf("=");
  return end === -1 ? assignment : assignment.slice(0, end + 1) + REDACTED;
}

function inQuotesOf(value: string): string {
  const quote = /^\\*["']/.exec(value)?.[0] ?? "";
  const isClosed = value.length > quote.length && value.endsWith(quote);
  return quote + REDACTED + (isClosed ? quote : "");
}

/** Maps the children of an array or object. Returns the same value if no child changed. */
function mapChildren(
  value: unknown,
  change: (child: unknown, key: string | undefined) => unknown,
): unknown {
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    const fresh = list.map((item) => change(item, undefined));
    return fresh.every((item, index) => item === list[index]) ? value : fresh;
  }
  if (!isJsonObject(value)) return value;
  let copy: Record<string, unknown> | undefined;
  for (const [key, old] of Object.entries(value)) {
    const fresh = change(old, key);
    if (fresh === old) continue;
    copy ??= { ...value };
    copy[key] = fresh;
  }
  return copy ?? value;
}

/** Hides secrets in the keys of an object. Returns the same value if no key changed. */
function mapKeys(value: unknown, hide: Hide): unknown {
  if (!isJsonObject(value) || Object.keys(value).every((key) => hide(key) === key)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [hide(key), child]));
}

/** How much of an unfinished line waits for its end. More is passed on as it is. */
const MOST_WAITING = 64 * 1024;

/**
 * Collects the pieces of a text and passes on finished lines. A pipe may cut a secret in two, and neither
 * half would be recognized, so an unfinished line waits, and so does an unfinished private key.
 */
export class FinishedText {
  readonly #emit: (text: string) => void;
  #waiting = "";

  /** Calls `emit` with one or more finished lines, never with an empty text. */
  constructor(emit: (text: string) => void) {
    this.#emit = emit;
  }

  push(text: string): void {
    this.#waiting += text;
    const { length } = this.#waiting;
    this.#pass(length > MOST_WAITING ? length : finishedLength(this.#waiting));
  }

  flush(): void {
    this.#pass(this.#waiting.length);
  }

  #pass(length: number): void {
    const text = this.#waiting.slice(0, length);
    this.#waiting = this.#waiting.slice(length);
    if (text !== "") this.#emit(text);
  }
}

/** How much of a text consists of finished lines and finished private keys. */
function finishedLength(text: string): number {
  const lines = text.lastIndexOf("\n") + 1;
  const key = text.lastIndexOf("-----BEGIN ");
  return key > text.lastIndexOf("-----END ") ? Math.min(lines, key) : lines;
}

/** JSON's short forms of control characters. */
const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\b", "b"],
  ["\f", "f"],
  ["\n", "n"],
  ["\r", "r"],
  ["\t", "t"],
]);

/**
 * How often a text may have been escaped, as JSON inside JSON is. Each time doubles the backslashes
 * and adds one. The limit also keeps the cost of a long run of backslashes linear.
 */
const ESCAPE_LEVELS = 3;

const MOST_BACKSLASHES = 2 ** ESCAPE_LEVELS - 1;

/**
 * Returns a function that hides these values wherever they appear in a text, as they are or escaped
 * as in a JSON string, by any serializer and up to three times over.
 */
export function valueHider(values: readonly string[]): (text: string) => string {
  const longestFirst = [...new Set(values)]
    .filter((value) => value !== "")
    .toSorted((a, b) => b.length - a.length);
  if (longestFirst.length === 0) return (text) => text;
  const pattern = new RegExp(longestFirst.map(patternOf).join("|"), "g");
  return (text) => text.replace(pattern, REDACTED);
}

/** A pattern for a value in all its spellings. Backslashes before a character belong to it. */
function patternOf(value: string): string {
  return value.replace(/(\\*)([^\\]|$)/g, (_, backslashes: string, unit: string) => {
    const least = backslashes.length;
    const most = least * 2 ** ESCAPE_LEVELS + MOST_BACKSLASHES;
    const isPlain = unit === "" || /[A-Za-z0-9]/.test(unit);
    if (isPlain) return least === 0 ? unit : `\\\\{${least},${most}}${unit}`;
    const itself = `\\\\{${least},${most}}\\u${hexOf(unit)}`;
    return `(?:${itself}|\\\\{${least + 1},${most}}(?:${escapesOf(unit).join("|")}))`;
  });
}

/** How serializers escape a UTF-16 unit, without the backslash. None escapes letters and digits. */
function escapesOf(unit: string): readonly string[] {
  const hex = hexOf(unit);
  const short = SHORT_ESCAPES.get(unit);
  return [`u${hex}`, `u${hex.toUpperCase()}`, ...(short === undefined ? [] : [short])];
}

function hexOf(unit: string): string {
  return unit.charCodeAt(0).toString(16).padStart(4, "0");
}
