import type { SyntaxState } from "../syntax/highlight.ts";
import { sanitiseLine } from "../terminal/sanitise.ts";
import { type Row, rowOf, span } from "../terminal/spans.ts";
import type { Style } from "../terminal/style.ts";

/** Code is indented, because colours alone do not set it apart. */
export const CODE_INDENT = "  ";
const TAB = "    ";

/**
 * One line of code. It is not wrapped: the terminal breaks it at its edge, and a copy of it is whole.
 * Without a syntax it has no colours.
 */
export function codeRow(line: string, syntax: SyntaxState | undefined, style: Style): Row {
  const safe = sanitiseLine(line.replace(/\t/g, TAB));
  return rowOf([span(CODE_INDENT), ...(syntax?.line(safe) ?? [span(safe)])], style);
}

/** An open code fence. */
export interface Fence {
  readonly mark: string;
  readonly size: number;
  readonly indent: number;
  readonly info: string;
}

/** The fence that a line opens, if it does. */
export function openingFence(line: string): Fence | undefined {
  const match = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})(.*)$/.exec(line);
  if (match === null) return undefined;
  const [, indent = "", marks = "", info = ""] = match;
  return { mark: marks.charAt(0), size: marks.length, indent: indent.length, info: info.trim() };
}

/** Whether a line closes a fence. */
export function closesFence(line: string, { mark, size }: Fence): boolean {
  const [, marks = ""] = /^ {0,3}(`+|~+)[ \t]*$/.exec(line) ?? [];
  return marks.startsWith(mark) && marks.length >= size;
}

/** A line of code without the indentation that its fence has too. */
export function withoutIndent(line: string, { indent }: Fence): string {
  const spaces = /^ */.exec(line)?.[0].length ?? 0;
  return line.slice(Math.min(indent, spaces));
}
