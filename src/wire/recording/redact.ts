import { decodeLine, isJsonObject } from "../lines/frames.ts";

/** What stands where a secret stood. */
export const REDACTED = "[redacted]";

const SECRET_KEY =
  /^(?:.*[-_])?(?:authorization|cookie|password|passwd|passphrase|secret|token|(?:api|access|private|secret)[-_]?key|credentials?)$/i;
const SECRET_CAMEL_KEY =
  /(?:Authorization|Cookie|Password|Passphrase|Secret|Token|(?:Api|Access|Private|Secret)Key|Credentials?)$/;

/** Lists and maps whose every value is taken for a secret, whatever its name. */
const SECRET_CONTAINER = /^(?:.*[-_])?(?:env|headers)$/i;
const SECRET_CAMEL_CONTAINER = /(?:Env|Headers)$/;

/** Lists of arguments, where a flag tells what it or the argument after it is. */
const ARGUMENT_LIST = /^(?:args|argv|command)$/;

const SECRET_IN_TEXT =
  /((?:authorization|password|passwd|passphrase|secret|token|(?:api|access|private|secret)[-_]?key)\\*["']?\s*[=:]\s*(?:bearer\s+|basic\s+)?)("(?:[^"\\]|\\.)*"?|'[^']*'?|\\+"[^"]*"?|[^\s"',;}]+)/gi;
const BEARER_IN_TEXT = /\b(bearer\s+)[\w.~+/=-]{8,}/gi;
const COOKIE_IN_TEXT = /(cookie\\*["']?\s*[=:]\s*)[^\r\n]+/gi;
/** The rest of a message that was cut off: the values in it have no telling names. */
const CONTAINER_IN_TEXT = /((?:env|headers)\\*"\s*:\s*)[[{][^]*/i;

/**
 * Takes secrets out of one line: values of `env` entries and `headers`, and of fields named like a
 * token, key or password, at any depth. A line without any comes back exactly as it was.
 */
export function redactLine(line: string): string {
  const decoded = decodeLine(line);
  try {
    switch (decoded.kind) {
      case "frame":
        return redactJson(line, decoded.skipped, decoded.frame);
      case "batch":
        return redactJson(line, "", decoded.frames);
      case "noise":
        return redactText(line);
    }
  } catch {
    // Nested deeper than the stack allows: what cannot be searched is not shown.
    return REDACTED;
  }
}

/** Takes what looks like a secret out of free text (a log line, stderr, a message that was cut off). */
export function redactText(text: string): string {
  return text
    .replace(CONTAINER_IN_TEXT, `$1${REDACTED}`)
    .replace(SECRET_IN_TEXT, (_, name: string, value: string) => name + inQuotesOf(value))
    .replace(BEARER_IN_TEXT, `$1${REDACTED}`)
    .replace(COOKIE_IN_TEXT, `$1${REDACTED}`);
}

/** The same value without its secrets; the value itself if it holds none. */
export function redactValue(value: unknown): unknown {
  return mapChildren(value, (child, key) => {
    if (key === undefined) return redactValue(child);
    if (SECRET_CONTAINER.test(key) || SECRET_CAMEL_CONTAINER.test(key)) return redactEntries(child);
    if (isSecretName(key)) return hideText(child);
    if (ARGUMENT_LIST.test(key) && Array.isArray(child)) return redactArguments(child);
    return redactValue(child);
  });
}

function isSecretName(name: string): boolean {
  return SECRET_KEY.test(name) || SECRET_CAMEL_KEY.test(name);
}

/** `--token=value` loses its value, and what follows a `--token` is one. */
function redactArguments(args: readonly unknown[]): unknown {
  let follows = false;
  return mapChildren(args, (arg) => {
    if (typeof arg !== "string") return redactValue(arg);
    const [name = ""] = arg.replace(/^-+/, "").split("=", 1);
    const named = isSecretName(name);
    const isFlag = arg.startsWith("-");
    const hidden = follows && !isFlag ? REDACTED : named ? hideAfterName(arg) : redactText(arg);
    follows = named && isFlag && !arg.includes("=");
    return hidden;
  });
}

/** Token counts (`token: 12`) are numbers, secrets are text: only text is hidden by its key. */
function hideText(value: unknown): unknown {
  if (typeof value === "string") return value === "" ? value : REDACTED;
  return mapChildren(value, hideText);
}

/** `[{ name, value }]` as ACP has it, a map of names to values, or `NAME=value` and pairs. */
function redactEntries(entries: unknown): unknown {
  if (typeof entries === "string") return redactText(entries);
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

/** An entry without a name is all value. */
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

function redactJson(line: string, prefix: string, value: unknown): string {
  const clean = redactValue(value);
  const start = redactText(prefix);
  return clean === value && start === prefix ? line : start + JSON.stringify(clean);
}

/** Changes what an array or object holds; the very same value comes back if nothing changed. */
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
