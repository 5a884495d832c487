import { StringStream, type StreamParser } from "@codemirror/streamparser";
import { type TextSpan, span } from "../terminal/spans.ts";
import type { StyleName } from "../terminal/style.ts";

const TAB_COLUMNS = 4;
/** A longer line is probably data, and not worth the time. */
const MAX_LINE_CHARS = 2000;
/** How often a parser may return without a step forward before it counts as stuck. */
const MAX_IDLE_STEPS = 10;

/** The kinds of token in each style, under the names of CodeMirror 5 and 6. Red and green belong to diffs. */
const KINDS: readonly (readonly [StyleName, kinds: string])[] = [
  ["magenta", "keyword operatorKeyword controlKeyword modifier qualifier tag tagName"],
  ["yellow", "string regexp character attributeValue"],
  ["cyan", "number atom bool null unit builtin"],
  ["cyan", "type typeName className attribute attributeName meta"],
  ["bold", "def header heading"],
  ["dim", "comment"],
  ["green", "inserted"],
  ["red", "deleted"],
];

const STYLES = new Map(
  KINDS.flatMap(([style, kinds]) => kinds.split(" ").map((kind) => [kind, [style]] as const)),
);

/** Colors code line by line. The state between two lines is all it keeps, so a stream costs linear time. */
export class SyntaxState {
  readonly #parser: StreamParser<unknown>;
  #state: unknown;

  constructor(
    parser: StreamParser<unknown>,
    state: unknown = parser.startState?.(TAB_COLUMNS) ?? {},
  ) {
    this.#parser = parser;
    this.#state = state;
  }

  /** A copy, with which a line can be colored before its end has arrived. */
  copy(): SyntaxState {
    const copy = this.#parser.copyState?.(this.#state) ?? shallowCopy(this.#state);
    return new SyntaxState(this.#parser, copy);
  }

  /** The spans of the next line. A parser that fails or is stuck leaves the rest without colors. */
  line(text: string): readonly TextSpan[] {
    if (text.length > MAX_LINE_CHARS) return [span(text)];
    if (text === "") {
      this.#parser.blankLine?.(this.#state, TAB_COLUMNS);
      return [];
    }
    const stream = new StringStream(text, TAB_COLUMNS, TAB_COLUMNS);
    const spans: TextSpan[] = [];
    let idle = 0;
    try {
      while (!stream.eol() && idle < MAX_IDLE_STEPS) {
        stream.start = stream.pos;
        const kind = this.#parser.token(stream, this.#state);
        idle = stream.pos > stream.start ? 0 : idle + 1;
        if (idle === 0) spans.push(span(stream.current(), ...stylesOf(kind)));
      }
    } catch {
      stream.pos = stream.start;
    }
    const shown = spans.reduce((sum, one) => sum + one.text.length, 0);
    return [...spans, span(text.slice(shown))];
  }
}

/** Kinds are names of tags, with modifiers after a dot; several are separated by spaces. */
function stylesOf(kind: string | null): readonly StyleName[] {
  for (const name of (kind ?? "").split(" ")) {
    const [tag = "", ...modifiers] = name.split(".");
    if (modifiers.includes("definition")) return ["bold"];
    const styles = STYLES.get(tag);
    if (styles !== undefined) return styles;
  }
  return [];
}

/** Enough for the parsers that do not bring a way of their own. */
function shallowCopy(state: unknown): unknown {
  if (typeof state !== "object" || state === null) return state;
  return Object.fromEntries(
    Object.entries(state).map(([key, value]: [string, unknown]) => [
      key,
      Array.isArray(value) ? value.slice() : value,
    ]),
  );
}
