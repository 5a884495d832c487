import { columnsOf } from "./columns.ts";
import type { Style, StyleName } from "./style.ts";

/** A piece of one row, in one look. Its text is safe for a terminal and has no line breaks. */
export interface TextSpan {
  readonly text: string;
  readonly styles: readonly StyleName[];
  /** An address that a click opens, as `safeLink` returns it. */
  readonly link?: string | undefined;
}

/** One row, ready to print. It sets no style that the next one would inherit. */
export interface Row {
  readonly text: string;
  readonly columns: number;
}

export function span(text: string, ...styles: StyleName[]): TextSpan {
  return { text, styles };
}

export function rowOf(spans: readonly TextSpan[], style: Style): Row {
  const texts = joined(spans).map(({ text, styles, link }) => {
    const painted = styles.reduceRight((inner, name) => style(name, inner), text);
    return link === undefined ? painted : `${linkTo(link)}${painted}${linkTo("")}`;
  });
  return { text: texts.join(""), columns: columnsOfSpans(spans) };
}

export function columnsOfSpans(spans: readonly TextSpan[]): number {
  return spans.reduce((sum, { text }) => sum + columnsOf(text), 0);
}

/** Neighbors of the same look become one span. Empty ones disappear. */
function joined(spans: readonly TextSpan[]): readonly TextSpan[] {
  const all: TextSpan[] = [];
  for (const next of spans) {
    const last = all.at(-1);
    if (last !== undefined && looksLike(last, next))
      all[all.length - 1] = { ...last, text: last.text + next.text };
    else if (next.text !== "") all.push(next);
  }
  return all;
}

function looksLike(a: TextSpan, b: TextSpan): boolean {
  return a.link === b.link && a.styles.join() === b.styles.join();
}

/** OSC 8 starts a link, or ends it if the address is empty. */
function linkTo(address: string): string {
  return `\u001b]8;;${address}\u001b\\`;
}

interface Cell {
  readonly character: string;
  readonly columns: number;
  readonly span: TextSpan;
}

/** CJK punctuation that does not start a row. */
const STAYS_BEFORE = /[、。，．！？：；）」』】〉》］｝ー々]/u;

/**
 * Breaks spans into rows of at most `width` columns: between words, between wide characters, and inside
 * a word only if it is longer than a row. A line break in the text ends a row. Spaces at the end of a row
 * disappear.
 */
export function wrap(spans: readonly TextSpan[], width: number): readonly (readonly TextSpan[])[] {
  const rows: (readonly TextSpan[])[] = [];
  let row: Cell[] = [];
  let columns = 0;
  /** How many cells of the row stay if it has to end: those before the last place for a break. */
  let fits = 0;
  const end = (cells: readonly Cell[]): void => {
    rows.push(spansOf(withoutTrailingSpace(cells)));
  };
  for (const cell of cellsOf(spans)) {
    if (cell.character === "\n") {
      end(row);
      [row, columns, fits] = [[], 0, 0];
      continue;
    }
    const isSpace = cell.character === " ";
    const last = row.at(-1);
    if (mayBreak(last, cell) && withoutTrailingSpace(row).length > 0) fits = row.length;
    const room = isSpace ? Number.POSITIVE_INFINITY : width - cell.columns;
    while (columns > room && row.length > 0) {
      const kept = fits > 0 ? fits : row.length;
      end(row.slice(0, kept));
      row = withoutLeadingSpace(row.slice(kept));
      columns = row.reduce((sum, one) => sum + one.columns, 0);
      fits = 0;
    }
    if (isSpace && row.length === 0 && rows.length > 0) continue;
    row.push(cell);
    columns += cell.columns;
  }
  if (row.length > 0 || rows.length === 0) end(row);
  return rows;
}

/** A line in pieces of at most `width` columns. */
export function wrapWords(line: string, width: number): readonly string[] {
  const rows = wrap([span(line.replaceAll("\t", "    "))], width);
  return rows.map((row) => row.map(({ text }) => text).join(""));
}

function mayBreak(before: Cell | undefined, next: Cell): boolean {
  if (before === undefined || next.columns === 0) return false;
  if (before.character === " ") return next.character !== " ";
  if (STAYS_BEFORE.test(next.character)) return false;
  return before.columns > 1 || (next.columns > 1 && next.character !== " ");
}

function* cellsOf(spans: readonly TextSpan[]): Generator<Cell> {
  for (const span of spans)
    for (const character of span.text) yield { character, columns: columnsOf(character), span };
}

function withoutTrailingSpace(cells: readonly Cell[]): readonly Cell[] {
  return cells.slice(0, cells.findLastIndex(({ character }) => character !== " ") + 1);
}

function withoutLeadingSpace(cells: readonly Cell[]): Cell[] {
  const first = cells.findIndex(({ character }) => character !== " ");
  return first === -1 ? [] : cells.slice(first);
}

function spansOf(cells: readonly Cell[]): readonly TextSpan[] {
  return joined(cells.map(({ character, span }) => ({ ...span, text: character })));
}
