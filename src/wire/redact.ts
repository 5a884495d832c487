import { decodeLine, isJsonObject } from "./frames.ts";

/** What stands where a secret stood. */
export const REDACTED = "[redacted]";

const SECRET_KEY =
  /^(?:.*[-_])?(?:authorization|cookie|password|passwd|secret|token|apikey|api[-_]key|access[-_]key|private[-_]key|credentials?)$/i;
const SECRET_CAMEL_KEY =
  /(?:Authorization|Password|Secret|Token|ApiKey|AccessKey|PrivateKey|Credentials?)$/;

/** Lists and maps whose every value is taken for a secret, whatever its name. */
const SECRET_CONTAINERS = new Set(["env", "headers"]);

const SECRET_IN_TEXT =
  /((?:authorization|password|passwd|secret|token|api[-_]?key|access[-_]?key)["']?\s*[=:]\s*["']?(?:bearer\s+|basic\s+)?)[^\s"',;}]+/gi;
const BEARER_IN_TEXT = /\b(bearer\s+)[\w.~+/=-]{8,}/gi;

/**
 * Takes secrets out of one line: values of `env` entries and `headers`, and of fields named like a
 * token, key or password, at any depth. A line without any comes back exactly as it was.
 */
export function redactLine(line: string): string {
  const decoded = decodeLine(line);
  switch (decoded.kind) {
    case "frame":
      return redactJson(line, decoded.skipped, decoded.frame);
    case "batch":
      return redactJson(line, "", decoded.frames);
    case "noise":
      return redactText(line);
  }
}

/** Takes what looks like a secret out of free text (a log line, stderr). */
export function redactText(text: string): string {
  return text.replace(SECRET_IN_TEXT, `$1${REDACTED}`).replace(BEARER_IN_TEXT, `$1${REDACTED}`);
}

/** The same value without its secrets; the value itself if it holds none. */
export function redactValue(value: unknown): unknown {
  if (Array.isArray(value)) return mapUnlessSame(value, redactValue);
  if (!isJsonObject(value)) return value;
  let copy: Record<string, unknown> | undefined;
  for (const [key, old] of Object.entries(value)) {
    const fresh = SECRET_CONTAINERS.has(key) ? redactEntries(old) : redactField(key, old);
    if (fresh === old) continue;
    copy ??= { ...value };
    copy[key] = fresh;
  }
  return copy ?? value;
}

/** Token counts (`inputTokens: 12`) are numbers, secrets are text: only text is hidden by its key. */
function redactField(key: string, value: unknown): unknown {
  const named = SECRET_KEY.test(key) || SECRET_CAMEL_KEY.test(key);
  if (named && typeof value === "string" && value !== "") return REDACTED;
  return redactValue(value);
}

/** `[{ name, value }]` as ACP has it, or a map of names to values. */
function redactEntries(entries: unknown): unknown {
  if (Array.isArray(entries)) {
    return mapUnlessSame(entries, (entry) =>
      isJsonObject(entry) && typeof entry["value"] === "string"
        ? { ...entry, value: REDACTED }
        : redactValue(entry),
    );
  }
  if (!isJsonObject(entries)) return entries;
  return Object.fromEntries(
    Object.entries(entries).map(([key, value]) => [
      key,
      typeof value === "string" ? REDACTED : redactValue(value),
    ]),
  );
}

function redactJson(line: string, prefix: string, value: unknown): string {
  const clean = redactValue(value);
  const start = redactText(prefix);
  return clean === value && start === prefix ? line : start + JSON.stringify(clean);
}

function mapUnlessSame(
  list: readonly unknown[],
  change: (item: unknown) => unknown,
): readonly unknown[] {
  const fresh = list.map(change);
  return fresh.every((item, index) => item === list[index]) ? list : fresh;
}
