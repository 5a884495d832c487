import { isMarkedToken, type Token, type Tokens } from "../../../../base/markdown/index.ts";
import type { SyntaxState } from "../syntax/highlight.ts";
import type { LoadedSyntax } from "../syntax/languages.ts";
import { sanitise, sanitiseLine } from "../terminal/sanitise.ts";
import { columnsOfSpans, type Row, rowOf, type TextSpan, span, wrap } from "../terminal/spans.ts";
import type { Style } from "../terminal/style.ts";
import { type InlineLook, inlineSpans } from "./inline.ts";
import { tableRows } from "./table.ts";

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
        ...(index > 0 && endsBlank(token.items[index - 1]?.raw ?? "") ? [EMPTY_ROW] : []),
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

export function endsBlank(raw: string): boolean {
  return /\n[ \t]*\n/.test(trailingSpace(raw));
}

/** A regular expression would rescan the text from each space inside it. */
function trailingSpace(text: string): string {
  return text.slice(text.trimEnd().length);
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

/** Code is indented, because colours alone do not set it apart. */
const CODE_INDENT = "  ";
const TAB = "    ";

/**
 * One line of code. It is not wrapped: the terminal breaks it at its edge, and a copy of it is whole.
 * Without a syntax it has no colours.
 */
export function codeRow(line: string, syntax: SyntaxState | undefined, style: Style): Row {
  const safe = sanitiseLine(line.replace(/\t/g, TAB));
  return rowOf([span(CODE_INDENT), ...(syntax?.line(safe) ?? [span(safe)])], style);
}

function codeRows({ text, lang }: Tokens.Code, look: Look): readonly Row[] {
  const syntax = look.syntaxOf(languageOf(lang ?? ""))?.start();
  return text.split("\n").map((line) => codeRow(line, syntax, look.style));
}

/** The language of the info string of a code fence. */
export function languageOf(info: string): string {
  return /^[^\s{,:]*/.exec(info.trim())?.[0].toLowerCase() ?? "";
}

/** Source that stays as it is, line by line. */
function textRows(source: string, width: number, look: Look): readonly Row[] {
  const text = sanitise(source).replace(/\t/g, CODE_INDENT).trimEnd();
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
