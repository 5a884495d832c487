import { isMarkedToken, type Token, type Tokens } from "../../../../base/markdown/index.ts";
import type { SyntaxState } from "../syntax/highlight.ts";
import type { LoadedSyntax } from "../syntax/languages.ts";
import { sanitize, sanitizeLine } from "../../../../base/index.ts";
import { columnsOfSpans, type Row, rowOf, type TextSpan, span, wrap } from "../terminal/spans.ts";
import type { Style } from "../terminal/style.ts";
import { type InlineLook, inlineSpans } from "./inline.ts";
import { endsWithBlankLine, trailingSpace, fenceLanguage } from "./growing-source.ts";

export interface Look extends InlineLook {
  readonly style: Style;
  /** The syntax of a language, if it is known and loaded. */
  readonly syntaxOf: (language: string) => LoadedSyntax | undefined;
}

/** Blocks as rows that fit into a number of columns. Only lines of code may be longer. */
export function blockRows(tokens: readonly Token[], width: number, look: Look): readonly Row[] {
  const rows: Row[] = [];
  let tail = "";
  for (const token of tokens) {
    const isBlank = rows.length > 0 && /\n[ \t]*\n/.test(tail + /^\s*/.exec(token.raw)?.[0]);
    tail = trailingSpace(token.raw);
    if (token.type === "space") {
      tail = token.raw;
      continue;
    }
    if (isBlank) rows.push(EMPTY_ROW);
    rows.push(...rowsOf(token, width, look));
  }
  return rows;
}

export const EMPTY_ROW: Row = { text: "", columns: 0 };

function rowsOf(token: Token, width: number, look: Look): readonly Row[] {
  if (!isMarkedToken(token)) return textRows(token.raw, width, look);
  switch (token.type) {
    case "heading":
      return wrapped(headingSpans(token, look), width, look);
    case "paragraph":
      return wrapped(inlineSpans(token.tokens, look), width, look);
    case "text":
      return wrapped(inlineSpans(token.tokens ?? [token], look), width, look);
    case "code":
      return codeRows(token, look);
    case "blockquote":
      return prefixed(blockRows(token.tokens, width - 2, look), [span("│ ", "dim")], look);
    case "list":
      return token.items.flatMap((item, index) => [
        ...(index > 0 && endsWithBlankLine(token.items[index - 1]?.raw ?? "") ? [EMPTY_ROW] : []),
        ...itemRows(item, width, look),
      ]);
    case "list_item":
      return itemRows(token, width, look);
    case "hr":
      return [rowOf([span("─".repeat(width), "dim")], look.style)];
    case "table":
      return tableRows(token, width, look);
    case "space":
      return [];
    default:
      return textRows(token.raw, width, look);
  }
}

function headingSpans({ tokens, depth }: Tokens.Heading, look: Look): readonly TextSpan[] {
  if (!look.styled) return [span(`${"#".repeat(depth)} `), ...inlineSpans(tokens, look)];
  return inlineSpans(tokens, look, depth === 1 ? ["bold", "underline"] : ["bold"]);
}

function itemRows(item: Tokens.ListItem, width: number, look: Look): readonly Row[] {
  const [, number] = /^\s*(\d{1,9}[.)])/.exec(item.raw) ?? [];
  // The box of a task is a block of its own, unless a paragraph follows it.
  const [first, ...others] = item.tokens;
  const isBox = first?.type === "checkbox";
  const box = isBox ? inlineSpans([first], look) : [];
  const marker = [span(number === undefined ? "• " : `${number} `), ...box];
  const indent = columnsOfSpans(marker);
  const rows = blockRows(isBox ? others : item.tokens, Math.max(1, width - indent), look);
  return prefixed(rows.length === 0 ? [EMPTY_ROW] : rows, marker, look, [span(" ".repeat(indent))]);
}

/** Code is indented, because colors alone do not set it apart. */
const CODE_INDENT = "  ";
const TAB = "    ";

/**
 * One line of code. It is not wrapped: the terminal breaks it at its edge, and a copy of it is whole.
 * Without a syntax it has no colors.
 */
export function codeRow(line: string, syntax: SyntaxState | undefined, style: Style): Row {
  const safe = sanitizeLine(line.replace(/\t/g, TAB));
  return rowOf([span(CODE_INDENT), ...(syntax?.line(safe) ?? [span(safe)])], style);
}

function codeRows({ text, lang }: Tokens.Code, look: Look): readonly Row[] {
  const syntax = look.syntaxOf(fenceLanguage(lang ?? ""))?.start();
  return text.split("\n").map((line) => codeRow(line, syntax, look.style));
}

/** Source that stays as it is, line by line. */
function textRows(source: string, width: number, look: Look): readonly Row[] {
  const text = sanitize(source).replace(/\t/g, CODE_INDENT).trimEnd();
  return text === "" ? [] : wrapped([span(text)], width, look);
}

function wrapped(spans: readonly TextSpan[], width: number, look: Look): readonly Row[] {
  return wrap(spans, width).map((row) => rowOf(row, look.style));
}

/** Rows with something before the first and something else, just as wide, before the others. */
function prefixed(
  rows: readonly Row[],
  first: readonly TextSpan[],
  { style }: Look,
  others: readonly TextSpan[] = first,
): readonly Row[] {
  return rows.map((row, index) => {
    const before = rowOf(index === 0 ? first : others, style);
    if (row === EMPTY_ROW && others !== first && index > 0) return row;
    return { text: before.text + row.text, columns: before.columns + row.columns };
  });
}

const SEPARATOR = " │ ";
const MIN_COLUMN = 6;

type Align = Tokens.Table["align"][number];

/** A table in aligned columns. Cells are wrapped if it is wider than `width`. */
function tableRows(
  { header, rows, align }: Tokens.Table,
  width: number,
  look: InlineLook & { readonly style: Style },
): readonly Row[] {
  const heads = header.map(({ tokens }) => inlineSpans(tokens, look, look.styled ? ["bold"] : []));
  const body = rows.map((cells) => cells.map(({ tokens }) => inlineSpans(tokens, look)));
  const widths = columnWidths([heads, ...body], width - SEPARATOR.length * (heads.length - 1));
  if (widths === undefined) return records(heads, body, width, look.style);
  const line = rule(widths, look.style);
  const shown = body.map((cells) => lines(cells, widths, align, look.style));
  const isWrapped = shown.some((one) => one.length > 1);
  return [
    ...lines(heads, widths, align, look.style),
    line,
    ...shown.flatMap((one, index) => (isWrapped && index > 0 ? [line, ...one] : one)),
  ];
}

/** The widths of the columns, the wide ones narrowed until all fit; undefined if there are too many. */
function columnWidths(
  rows: readonly (readonly (readonly TextSpan[])[])[],
  available: number,
): readonly number[] | undefined {
  const count = rows[0]?.length ?? 0;
  const natural = Array.from({ length: count }, (_, column) =>
    Math.max(1, ...rows.map((cells) => columnsOfSpans(cells[column] ?? []))),
  );
  if (sum(natural) <= available) return natural;
  // Narrow columns keep their width, and the others share the rest.
  const widths = natural.slice();
  let room = available;
  let left = count;
  for (const [column, columns] of [...natural.entries()].toSorted(([, a], [, b]) => a - b)) {
    const share = Math.floor(room / left);
    widths[column] = Math.min(columns, share);
    if (share < Math.min(columns, MIN_COLUMN)) return undefined;
    room -= widths[column];
    left--;
  }
  return widths;
}

/** One row of the table, which takes several rows of the terminal if a cell is wrapped. */
function lines(
  cells: readonly (readonly TextSpan[])[],
  widths: readonly number[],
  align: readonly Align[],
  style: Style,
): readonly Row[] {
  const wrapped = widths.map((width, column) => wrap(cells[column] ?? [], width));
  const height = Math.max(...wrapped.map((one) => one.length));
  return Array.from({ length: height }, (_, line) =>
    rowOf(
      widths.flatMap((width, column) => {
        const isLast = column === widths.length - 1;
        const cell = wrapped[column]?.[line] ?? [];
        const padded = pad(cell, width, align[column] ?? null, isLast);
        return isLast ? padded : [...padded, span(SEPARATOR, "dim")];
      }),
      style,
    ),
  );
}

function pad(
  cell: readonly TextSpan[],
  width: number,
  align: Align,
  isLast: boolean,
): readonly TextSpan[] {
  const free = Math.max(0, width - columnsOfSpans(cell));
  const before = align === "right" ? free : align === "center" ? Math.floor(free / 2) : 0;
  const after = isLast ? 0 : free - before;
  return [span(" ".repeat(before)), ...cell, span(" ".repeat(after))];
}

function rule(widths: readonly number[], style: Style): Row {
  return rowOf([span(widths.map((width) => "─".repeat(width)).join("─┼─"), "dim")], style);
}

/** Each row as a list of its cells with their heads, for tables that do not fit. */
function records(
  heads: readonly (readonly TextSpan[])[],
  body: readonly (readonly (readonly TextSpan[])[])[],
  width: number,
  style: Style,
): readonly Row[] {
  return body.flatMap((cells, index) => [
    ...(index > 0 ? [rowOf([span("─".repeat(Math.min(width, 10)), "dim")], style)] : []),
    ...cells.flatMap((cell, column) =>
      wrap([...(heads[column] ?? []), span(": "), ...cell], width).map((row) => rowOf(row, style)),
    ),
  ]);
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
