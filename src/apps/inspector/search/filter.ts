/** How a number is compared. */
export interface NumberTest {
  readonly op: ">" | "<" | ">=" | "<=" | "=";
  readonly value: number;
}

/** One condition of a filter. */
export type FilterTerm = { readonly isExcluded: boolean } & (
  | { readonly type: "text"; readonly pattern: RegExp }
  | {
      readonly type:
        | "method"
        | "kind"
        | "dir"
        | "session"
        | "tool"
        | "id"
        | "turn"
        | "lane"
        | "bad";
      readonly value: string;
    }
  | { readonly type: "size" | "ms"; readonly test: NumberTest }
);

/** A filter that was read from a text. Conditions that could not be read are left out and reported. */
export interface Filter {
  readonly terms: readonly FilterTerm[];
  /** A sentence for each condition that could not be read. */
  readonly faults: readonly string[];
}

const KEYS = new Set(["method", "kind", "dir", "session", "tool", "id", "turn", "lane", "bad"]);
const TOKEN =
  /(-)?(?:([a-z]+):("(?:[^"\\]|\\.)*"|\S*)|\/((?:[^/\\]|\\.)+)\/([a-z]*)(?=\s|$)|("(?:[^"\\]|\\.)*"|\S+))/gy;

/**
 * Reads a filter: words that the line must contain, `-word` for those that it must not, `"several words"`,
 * `/regex/`, and `method: kind: dir: session: tool: id: turn: lane: size:> ms:> bad:`. All conditions must
 * hold. Never throws.
 */
export function parseFilter(text: string): Filter {
  const terms: FilterTerm[] = [];
  const faults: string[] = [];
  for (const token of tokensOf(text)) {
    const term = termOf(token);
    if (typeof term === "string") faults.push(term);
    else if (term) terms.push(term);
  }
  return { terms, faults };
}

interface Token {
  readonly isExcluded: boolean;
  readonly key: string | undefined;
  readonly value: string;
  readonly regex: string | undefined;
  readonly flags: string;
  readonly whole: string;
}

function* tokensOf(text: string): Generator<Token, void, undefined> {
  TOKEN.lastIndex = 0;
  for (;;) {
    const rest = /\s*/y;
    rest.lastIndex = TOKEN.lastIndex;
    rest.exec(text);
    TOKEN.lastIndex = rest.lastIndex;
    const match = TOKEN.exec(text);
    if (!match) return;
    const [whole, minus, key, value, regex, flags = "", word] = match;
    yield {
      isExcluded: minus !== undefined,
      key,
      value: unquoted(value ?? word ?? ""),
      regex,
      flags,
      whole,
    };
  }
}

function termOf({
  isExcluded,
  key,
  value,
  regex,
  flags,
  whole,
}: Token): FilterTerm | string | undefined {
  if (regex !== undefined) {
    try {
      return {
        isExcluded,
        type: "text",
        pattern: new RegExp(regex, flags.replaceAll(/[gy]/g, "") || "i"),
      };
    } catch {
      return `${whole} is not a regular expression`;
    }
  }
  if (key === "size" || key === "ms") {
    const test = numberTest(value);
    return test ? { isExcluded, type: key, test } : `${whole} needs a number, such as ${key}:>100`;
  }
  if (key === "bad") return { isExcluded, type: "bad", value: value.toLowerCase() };
  if (key !== undefined && isKey(key)) {
    // An unfinished condition, such as while it is typed, filters nothing.
    return value === "" ? undefined : { isExcluded, type: key, value: value.toLowerCase() };
  }
  const word = key === undefined ? value : `${key}:${value}`;
  return word === "" ? undefined : { isExcluded, type: "text", pattern: wordPattern(word) };
}

type Key = Extract<FilterTerm, { readonly value: string }>["type"];

function isKey(key: string): key is Key {
  return KEYS.has(key);
}

function unquoted(text: string): string {
  return /^".*"$/s.test(text) ? text.slice(1, -1).replaceAll(/\\(.)/g, "$1") : text;
}

const UNITS: Readonly<Record<string, number>> = {
  "": 1,
  b: 1,
  k: 1000,
  kb: 1000,
  m: 1e6,
  mb: 1e6,
  ms: 1,
  s: 1000,
  min: 60_000,
};

function numberTest(text: string): NumberTest | undefined {
  const match = /^(>=|<=|>|<|=)?(\d+(?:\.\d+)?)([a-z]*)$/i.exec(text);
  const unit = UNITS[(match?.[3] ?? "").toLowerCase()];
  if (!match || unit === undefined) return undefined;
  const op = match[1];
  const value = Number(match[2]) * unit;
  return { op: op === "<" || op === "<=" || op === ">" || op === "=" ? op : ">=", value };
}

/**
 * Finds a word in lines of JSON, in any case. The word may be escaped there: quotes and newlines always are,
 * and some programs escape every character that is not ASCII.
 */
export function wordPattern(word: string): RegExp {
  const pattern = Array.from(word, unitPattern).join("");
  return new RegExp(pattern, "i");
}

function unitPattern(char: string): string {
  const escaped = JSON.stringify(char).slice(1, -1);
  const literal = char.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  if (escaped !== char)
    return `(?:${literal}|${escaped.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)})`;
  if ((char.codePointAt(0) ?? 0) < 0x80) return literal;
  const units = Array.from({ length: char.length }, (_, at) => {
    const hex = char.charCodeAt(at).toString(16).padStart(4, "0");
    return String.raw`\\u${hex}`;
  });
  return `(?:${literal}|${units.join("")})`;
}
