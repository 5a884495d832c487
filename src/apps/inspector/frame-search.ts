import type { LineStore, SessionModel } from "../../trace/index.ts";

/** Whether a frame meets a condition. The value is in lower case. */
type Condition = (model: SessionModel, row: number, value: string, rulesOf: RulesOfRow) => boolean;

const COLUMNS = {
  method: ({ frames }, row, value) => frames.method(row).toLowerCase().includes(value),
  kind: ({ frames }, row, value) =>
    frames.kind(row) === value || frames.update(row).toLowerCase() === value,
  dir: ({ frames }, row, value) =>
    (frames.direction(row) === "in" ? ["in", "agent", "<"] : ["out", "client", ">"]).includes(
      value,
    ),
  session: ({ frames, sessions }, row, value) => {
    const session = sessions[frames.session(row)];
    return (
      session !== undefined &&
      (String(session.number + 1) === value || session.id.toLowerCase().includes(value))
    );
  },
  tool: ({ frames, toolCalls }, row, value) => {
    const call = toolCalls[frames.tool(row)];
    const texts = call ? [call.id, call.title, call.kind] : [];
    return texts.some((text) => text.toLowerCase().includes(value));
  },
  id: ({ frames }, row, value) => frames.id(row).toLowerCase().replaceAll('"', "") === value,
  turn: ({ frames }, row, value) => String(frames.turn(row) + 1) === value,
  lane: ({ frames }, row, value) => frames.lane(row).toLowerCase().includes(value),
  bad: (_, row, value, rulesOf) => rulesOf(row).some((rule) => rule.toLowerCase().includes(value)),
} satisfies Record<string, Condition>;

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
  | { readonly type: keyof typeof COLUMNS; readonly value: string }
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
    const type = key !== undefined && isColumn(key) ? key : undefined;
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
      if (words !== "") terms.push({ isExcluded, type: "text", pattern: filterPattern(words) });
    }
  }
  return { terms, faults };
}

function isColumn(key: string): key is keyof typeof COLUMNS {
  return Object.hasOwn(COLUMNS, key);
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
export function filterPattern(word: string): RegExp {
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
  if ("value" in term) return COLUMNS[term.type](model, row, term.value, rulesOf);
  const { frames } = model;
  const { op, value } = term.test;
  const found = term.type === "size" ? frames.size(row) : frames.latency(row);
  return found !== undefined && COMPARISONS[op](found, value);
}
