import type { LineStore, SessionModel } from "../../../trace/index.ts";
import type { Filter, FilterTerm, NumberTest } from "./filter.ts";

/** The rules that a frame breaks, by its row. */
export type RulesOfRow = (row: number) => readonly string[];

const NO_RULES: RulesOfRow = () => [];

/**
 * Finds the rows of frames that pass a filter, in slices of about one megabyte of lines, so that a page can do
 * something else in between. Each slice yields its rows in order; the slices together cover all frames that
 * were there at the beginning.
 */
export function* searchFrames(
  model: SessionModel,
  filter: Filter,
  rulesOf: RulesOfRow = NO_RULES,
): Generator<readonly number[], void, undefined> {
  const texts = filter.terms.filter((term) => term.type === "text");
  const columns = filter.terms.filter((term) => term.type !== "text");
  const passes = (row: number): boolean =>
    columns.every((term) => holds(model, term, row, rulesOf) !== term.isExcluded);
  yield* searchLines(model.frames.lines, texts, passes);
}

/** The rows that pass a filter, all at once. */
export function filterFrames(
  model: SessionModel,
  filter: Filter,
  rulesOf?: RulesOfRow,
): readonly number[] {
  return [...searchFrames(model, filter, rulesOf)].flat();
}

type TextTerm = Extract<FilterTerm, { readonly type: "text" }>;

/** Finds lines with and without texts, block by block. Only rows that `passes` accepts are considered. */
export function* searchLines(
  lines: LineStore,
  texts: readonly TextTerm[],
  passes: (row: number) => boolean = () => true,
): Generator<readonly number[], void, undefined> {
  const { blocks, count } = lines;
  let row = 0;
  for (let block = 0; block < blocks; block++) {
    const { first, last } = lines.blockRows(block);
    const end = Math.min(last, count);
    row = first;
    if (texts.length === 0) {
      const found: number[] = [];
      for (; row < end; row++) if (passes(row)) found.push(row);
      yield found;
    } else yield searchBlock(lines.blockText(block), row, end, texts, passes);
  }
}

function searchBlock(
  text: string,
  first: number,
  end: number,
  texts: readonly TextTerm[],
  passes: (row: number) => boolean,
): readonly number[] {
  // Most blocks do not contain a rare word at all.
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
      return compares(frames.size(row), term.test);
    case "ms": {
      const latency = frames.latency(row);
      return latency !== undefined && compares(latency, term.test);
    }
  }
}

function directionOf(value: string): "in" | "out" | undefined {
  if (value === "in" || value === "agent" || value === "<") return "in";
  return value === "out" || value === "client" || value === ">" ? "out" : undefined;
}

function compares(number: number, { op, value }: NumberTest): boolean {
  switch (op) {
    case ">":
      return number > value;
    case "<":
      return number < value;
    case ">=":
      return number >= value;
    case "<=":
      return number <= value;
    case "=":
      return number === value;
  }
}
