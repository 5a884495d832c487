import {
  applyEdits,
  findNodeAtLocation,
  modify,
  parse,
  parseTree,
  type ParseError,
  type ParseErrorCode,
} from "jsonc-parser/lib/esm/main.js";
import { usageError } from "../shell/exit.ts";

/** Parses JSON with comments and trailing commas. Throws a usage error with the line and the column. */
export function parseJsonWithComments(text: string, file: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first === undefined) return value;
  const { line, column } = placeOf(text, first.offset);
  // The text itself is not quoted, because it may be a secret.
  throw usageError(`${file}:${line}:${column} is not valid JSON: ${PROBLEMS[first.error]}`);
}

/** The text with one value changed, or removed if it is undefined. Everything else stays as it is. */
export function withValue(text: string, path: readonly string[], value: unknown): string {
  const source = text.trim() === "" ? "{}\n" : text;
  const formattingOptions = {
    insertSpaces: !/^\t/m.test(source),
    tabSize: /^( +)\S/m.exec(source)?.[1]?.length ?? 2,
    eol: source.includes("\r\n") ? "\r\n" : "\n",
  };
  // A removal needs no formatting, which would reach the values beside it.
  const options = value === undefined ? {} : { formattingOptions };
  return applyEdits(source, modify(source, [...path], value, options));
}

/** The text without a value, and without the objects that its removal leaves empty. */
export function withoutValue(text: string, path: readonly string[]): string {
  const changed = withValue(text, path, undefined);
  const parent = path.slice(0, -1);
  if (parent.length === 0 || !isEmptyAt(changed, parent)) return changed;
  return withoutValue(changed, parent);
}

function isEmptyAt(text: string, path: readonly string[]): boolean {
  const root = parseTree(text);
  const node = root === undefined ? undefined : findNodeAtLocation(root, [...path]);
  return node?.type === "object" && node.children?.length === 0;
}

/** The line and column of an offset, both counted from 1. */
function placeOf(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

/** By the numbers of the parser, whose enumeration has no values at run time. */
const PROBLEMS: Readonly<Record<ParseErrorCode, string>> = {
  1: "unexpected word",
  2: "not a valid number",
  3: "a property name in double quotes is expected",
  4: "a value is expected",
  5: "a colon is expected",
  6: "a comma is expected",
  7: "a closing brace is expected",
  8: "a closing bracket is expected",
  9: "the end of the file is expected",
  10: "unexpected comment",
  11: "a comment is not closed",
  12: "a string is not closed",
  13: "a number is not complete",
  14: "not a valid Unicode escape",
  15: "not a valid escape",
  16: "a character that must be escaped",
};
