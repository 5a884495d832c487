import type { LineStore, SessionModel } from "../../trace/index.ts";

/** The conditions whose value is compared with a column of the frames. */
const COLUMNS = ["method", "kind", "dir", "session", "tool", "id", "turn", "lane", "bad"] as const;

const COMPARISONS = {
  ">": (a: number, b: number): boolean => a > b,
  "<": (a: number, b: number): boolean => a < b,
  ">=": (a: number, b: number): boolean => a >= b,
  "<=": (a: number, b: number): boolean => a <= b,
  "=": (a: number, b: number): boolean => a === b,
} as const;

interface NumberTest {
  readonly op: keyof typeof COMPARISONS;
  readonly value: number;
}

type FilterTerm = { readonly isExcluded: boolean } & (
  | { readonly type: "text"; readonly pattern: RegExp }
  | { readonly type: (typeof COLUMNS)[number]; readonly value: string }
  | { readonly type: "size" | "ms"; readonly test: NumberTest }
);
type TextTerm = Extract<FilterTerm, { readonly type: "text" }>;

/** A filter that was read from a text. Conditions that could not be read are left out and reported. */
export interface Filter {
  readonly terms: readonly FilterTerm[];
  /** A sentence for each condition that could not be read. */
  readonly faults: readonly string[];
}

const TOKEN =
  /(-)?(?:([a-z]+):("(?:[^"\\]|\\.)*"|\S*)|\/((?:[^/\\]|\\.)+)\/([a-z]*)(?=\s|$)|("(?:[^"\\]|\\.)*"|\S+))/g;

/**
 * Reads a filter: words that the line must contain, `-word` for those that it must not, `"several words"`,
 * `/regex/`, and `method: kind: dir: session: tool: id: turn: lane: size:> ms:> bad:`. All conditions must
 * hold. Never throws.
 */
export function parseFilter(text: string): Filter {
  const terms: FilterTerm[] = [];
  const faults: string[] = [];
  for (const [whole, minus, key, given, regex, flags = "", word] of text.matchAll(TOKEN)) {
    const isExcluded = minus !== undefined;
    const value = unquoted(given ?? word ?? "");
    const type = COLUMNS.find((name) => name === key);
    if (regex !== undefined) {
      const pattern = regexOf(regex, flags.replaceAll(/[gy]/g, "") || "i");
      if (pattern) terms.push({ isExcluded, type: "text", pattern });
      else faults.push(`${whole} is not a regular expression`);
    } else if (key === "size" || key === "ms") {
      const test = numberTest(value);
      if (test) terms.push({ isExcluded, type: key, test });
      else faults.push(`${whole} needs a number, such as ${key}:>100`);
    } else if (type) {
      // An unfinished condition, such as while it is typed, filters nothing.
      if (value !== "" || type === "bad")
        terms.push({ isExcluded, type, value: value.toLowerCase() });
    } else {
      const words = key === undefined ? value : `${key}:${value}`;
      if (words !== "") terms.push({ isExcluded, type: "text", pattern: wordPattern(words) });
    }
  }
  return { terms, faults };
}

function unquoted(text: string): string {
  return /^".*"$/s.test(text) ? text.slice(1, -1).replaceAll(/\\(.)/g, "$1") : text;
}

function regexOf(text: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(text, flags);
  } catch {
    return undefined;
  }
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
  return new RegExp(Array.from(word, charPattern).join(""), "i");
}

function charPattern(char: string): string {
  const escaped = JSON.stringify(char).slice(1, -1);
  if (escaped !== char) return `(?:${literal(char)}|${literal(escaped)})`;
  if ((char.codePointAt(0) ?? 0) < 0x80) return literal(char);
  const units = Array.from({ length: char.length }, (_, at) => {
    const hex = char.charCodeAt(at).toString(16).padStart(4, "0");
    return String.raw`\\u${hex}`;
  });
  return `(?:${char}|${units.join("")})`;
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

type RulesOfRow = (row: number) => readonly string[];

/**
 * Finds the rows of frames that pass a filter, in slices of about one megabyte of lines, so that a page can do
 * something else in between. Each slice yields its rows in order; the slices together cover all frames that
 * were there at the beginning.
 */
export function* searchFrames(
  model: SessionModel,
  filter: Filter,
  rulesOf: RulesOfRow = () => [],
): Generator<readonly number[], void, undefined> {
  const texts = filter.terms.filter((term) => term.type === "text");
  const columns = filter.terms.filter((term) => term.type !== "text");
  const passes = (row: number): boolean =>
    columns.every((term) => holds(model, term, row, rulesOf) !== term.isExcluded);
  const { lines } = model.frames;
  const { blocks, count } = lines;
  for (let block = 0; block < blocks; block++) {
    const { first, last } = lines.blockRows(block);
    yield searchBlock(lines, block, first, Math.min(last, count), texts, passes);
  }
}

export function filterFrames(
  model: SessionModel,
  filter: Filter,
  rulesOf?: RulesOfRow,
): readonly number[] {
  return [...searchFrames(model, filter, rulesOf)].flat();
}

function searchBlock(
  lines: LineStore,
  block: number,
  first: number,
  end: number,
  texts: readonly TextTerm[],
  passes: (row: number) => boolean,
): readonly number[] {
  // A filter without words needs no text, and most blocks do not contain a rare word at all.
  const text = texts.length === 0 ? "" : lines.blockText(block);
  if (texts.some(({ pattern, isExcluded }) => !isExcluded && !pattern.test(text))) return [];
  const found: number[] = [];
  let from = 0;
  for (let row = first; row < end; row++) {
    const to = text.indexOf("\n", from);
    if (passes(row)) {
      const line = text.slice(from, to);
      if (texts.every(({ pattern, isExcluded }) => pattern.test(line) !== isExcluded))
        found.push(row);
    }
    from = to + 1;
  }
  return found;
}

function holds(
  model: SessionModel,
  term: Exclude<FilterTerm, { readonly type: "text" }>,
  row: number,
  rulesOf: RulesOfRow,
): boolean {
  const { frames } = model;
  switch (term.type) {
    case "method":
      return frames.method(row).toLowerCase().includes(term.value);
    case "kind":
      return frames.kind(row) === term.value || frames.update(row).toLowerCase() === term.value;
    case "dir":
      return directionOf(term.value) === frames.direction(row);
    case "lane":
      return frames.lane(row).toLowerCase().includes(term.value);
    case "id":
      return frames.id(row).toLowerCase().replaceAll('"', "") === term.value;
    case "turn":
      return String(frames.turn(row) + 1) === term.value;
    case "session": {
      const session = model.sessions[frames.session(row)];
      if (!session) return false;
      return (
        String(session.number + 1) === term.value || session.id.toLowerCase().includes(term.value)
      );
    }
    case "tool": {
      const call = model.toolCalls[frames.tool(row)];
      if (!call) return false;
      const { id, title, kind } = call;
      return [id, title, kind].some((text) => text.toLowerCase().includes(term.value));
    }
    case "bad":
      return rulesOf(row).some((rule) => rule.toLowerCase().includes(term.value));
    case "size":
      return COMPARISONS[term.test.op](frames.size(row), term.test.value);
    case "ms": {
      const latency = frames.latency(row);
      const { op, value } = term.test;
      return latency !== undefined && COMPARISONS[op](latency, value);
    }
  }
}

function directionOf(value: string): "in" | "out" | undefined {
  if (value === "in" || value === "agent" || value === "<") return "in";
  return value === "out" || value === "client" || value === ">" ? "out" : undefined;
}
