import { diffWordsWithSpace } from "diff";
import { languageOfFile, type LoadedSyntax, loadSyntax } from "../syntax/languages.ts";
import { sanitizeLine } from "../../../../base/index.ts";
import { rowOf, type TextSpan, span } from "../terminal/spans.ts";
import type { Style, StyleName } from "../terminal/style.ts";

export interface DiffText {
  readonly path: string;
  readonly oldText?: string | null | undefined;
  readonly newText: string;
}

export interface DiffLine {
  /** `@` is the head of a hunk; the others are printed before the text. */
  readonly sign: "@" | " " | "+" | "-";
  readonly text: string;
  /** Its index in the new text, or in the old one if it was removed. */
  readonly line: number;
}

/** Longer texts are not worth the time: their lines have the colors of a diff only. */
const MAX_SYNTAX_CHARS = 512 * 1024;
/** Longer lines are not compared word by word. */
const MAX_COMPARED_CHARS = 500;
const MAX_WORD_EDITS = 200;
/** Lines that share less than this have nothing worth marking: almost everything changed. */
const MIN_SHARED = 0.4;

/** The part of a line that changed, by the indices of its characters. */
type Range = readonly [start: number, end: number];

/** Lines of a diff with the colors of their language. Words that changed within a line stand out. */
export async function colorChanges(
  changes: readonly DiffLine[],
  { path, oldText, newText }: DiffText,
  style: Style,
): Promise<string[]> {
  const syntax = await loadSyntax(languageOfFile(path));
  const last = (isOld: boolean): number =>
    changes.reduce(
      (most, { sign, line }) => ((sign === "-") === isOld ? Math.max(most, line) : most),
      -1,
    );
  const old = syntaxLines(oldText ?? "", last(true), syntax);
  const now = syntaxLines(newText, last(false), syntax);
  const marks = changedWords(changes);
  return changes.map((change, index) => {
    const { sign, line } = change;
    const text = sanitizeLine(change.text);
    if (sign === "@") return style("cyan", text);
    const spans = (sign === "-" ? old : now)[line];
    const isSame = spans !== undefined && spans.map((one) => one.text).join("") === text;
    const base = BASE[sign];
    const colored = (isSame ? spans : [span(text)]).map((one) => withBase(one, base));
    const row = marked(colored, marks.get(index) ?? [], base);
    return rowOf([span(sign, ...base), ...row], style).text;
  });
}

const BASE: Readonly<Record<Exclude<DiffLine["sign"], "@">, readonly StyleName[]>> = {
  " ": [],
  "+": ["green"],
  "-": ["red"],
};

/** A token keeps the color of its kind; all other text has the color of the change. */
function withBase({ text, styles }: TextSpan, base: readonly StyleName[]): TextSpan {
  const isPlain = styles.every((name) => name === "dim" || name === "bold");
  return { text, styles: isPlain ? [...base, ...styles] : styles };
}

/** The lines of a text up to `last`, in the colors of its language. */
function syntaxLines(
  text: string,
  last: number,
  syntax: LoadedSyntax | undefined,
): readonly (readonly TextSpan[])[] {
  if (syntax === undefined || text.length > MAX_SYNTAX_CHARS) return [];
  const state = syntax.start();
  return text
    .split("\n", last + 1)
    .map((line) => state.line(sanitizeLine(line.replace(/\r$/, ""))));
}

/** The changed words of each line that another line replaces, by the index of the line in the diff. */
function changedWords(changes: readonly DiffLine[]): ReadonlyMap<number, readonly Range[]> {
  const marks = new Map<number, readonly Range[]>();
  let start = 0;
  while (start < changes.length) {
    const removed = runLength(changes, start, "-");
    const added = runLength(changes, start + removed, "+");
    for (let n = 0; n < Math.min(removed, added); n++) {
      const [old, now] = [start + n, start + removed + n];
      const ranges = compared(changes[old]?.text ?? "", changes[now]?.text ?? "");
      if (ranges === undefined) continue;
      marks.set(old, ranges.old);
      marks.set(now, ranges.now);
    }
    start += Math.max(1, removed + added);
  }
  return marks;
}

function runLength(changes: readonly DiffLine[], start: number, wanted: DiffLine["sign"]): number {
  let end = start;
  while (changes[end]?.sign === wanted) end++;
  return end - start;
}

/** The words in which two lines differ; undefined if they differ in most. */
export function compared(
  oldLine: string,
  newLine: string,
): { readonly old: readonly Range[]; readonly now: readonly Range[] } | undefined {
  const [a, b] = [sanitizeLine(oldLine), sanitizeLine(newLine)];
  if (Math.max(a.length, b.length) > MAX_COMPARED_CHARS) return undefined;
  const parts = diffWordsWithSpace(a, b, { maxEditLength: MAX_WORD_EDITS });
  if (parts === undefined) return undefined;
  const old: Range[] = [];
  const now: Range[] = [];
  let [atOld, atNow, shared] = [0, 0, 0];
  for (const { value, added, removed } of parts) {
    if (removed) old.push([atOld, atOld + value.length]);
    else if (added) now.push([atNow, atNow + value.length]);
    else shared += value.trim().length;
    if (!added) atOld += value.length;
    if (!removed) atNow += value.length;
  }
  const shorter = Math.min(a.trim().length, b.trim().length);
  return shorter === 0 || shared / shorter < MIN_SHARED ? undefined : { old, now };
}

/**
 * Spans with some of their characters marked. A mark has the color of the change alone: in the colors of a
 * language, it would look like several.
 */
function marked(
  spans: readonly TextSpan[],
  ranges: readonly Range[],
  base: readonly StyleName[],
): readonly TextSpan[] {
  if (ranges.length === 0) return spans;
  let start = 0;
  return spans.flatMap(({ text, styles }) => {
    const from = start;
    start += text.length;
    return pieces(text, from, ranges).map(([piece, isMarked]) =>
      isMarked ? span(piece, ...base, "inverse") : span(piece, ...styles),
    );
  });
}

/** Cuts a text that begins at `from` at the borders of the ranges. */
function pieces(
  text: string,
  from: number,
  ranges: readonly Range[],
): readonly (readonly [text: string, isMarked: boolean])[] {
  const end = from + text.length;
  const borders = ranges.flat().filter((at) => at > from && at < end);
  return [from, ...borders].map((at, index) => {
    const isMarked = ranges.some(([first, last]) => at >= first && at < last);
    return [text.slice(at - from, (borders[index] ?? end) - from), isMarked];
  });
}
