import { graphemes, shownGrapheme } from "../render/terminal/columns.ts";

export interface EditBuffer {
  readonly text: string;
  readonly cursor: number;
}

export const EMPTY: EditBuffer = { text: "", cursor: 0 };

export function bufferOf(text: string): EditBuffer {
  return { text, cursor: text.length };
}

export function insert({ text, cursor }: EditBuffer, typed: string): EditBuffer {
  return {
    text: text.slice(0, cursor) + typed + text.slice(cursor),
    cursor: cursor + typed.length,
  };
}

export function removeTo({ text, cursor }: EditBuffer, position: number): EditBuffer {
  const start = Math.min(cursor, position);
  const end = Math.max(cursor, position);
  return { text: text.slice(0, start) + text.slice(end), cursor: start };
}

export function leftOf({ text, cursor }: EditBuffer): number {
  return before(text, cursor);
}

export function rightOf({ text, cursor }: EditBuffer): number {
  return after(text, cursor);
}

const WORD_BEFORE = /[\p{L}\p{N}_]*[^\p{L}\p{N}_]*$/u;
const WORD_AFTER = /^[^\p{L}\p{N}_]*[\p{L}\p{N}_]*/u;

export function wordLeft({ text, cursor }: EditBuffer): number {
  return cursor - (WORD_BEFORE.exec(text.slice(0, cursor))?.[0].length ?? 0);
}

export function wordRight({ text, cursor }: EditBuffer): number {
  return cursor + (WORD_AFTER.exec(text.slice(cursor))?.[0].length ?? 0);
}

/** Where the word before the cursor begins; words end at white space, as for Ctrl-W in a shell. */
export function spaceLeft({ text, cursor }: EditBuffer): number {
  return cursor - (/\S*\s*$/.exec(text.slice(0, cursor))?.[0].length ?? 0);
}

export function lineStart({ text, cursor }: EditBuffer): number {
  return text.lastIndexOf("\n", cursor - 1) + 1;
}

export function lineEnd({ text, cursor }: EditBuffer): number {
  const end = text.indexOf("\n", cursor);
  return end === -1 ? text.length : end;
}

/** The same column in the line above; undefined in the first line. */
export function lineAbove(buffer: EditBuffer): number | undefined {
  const start = lineStart(buffer);
  if (start === 0) return undefined;
  const above = lineStart({ text: buffer.text, cursor: start - 1 });
  return atColumn(buffer.text.slice(above, start - 1), columnOf(buffer)) + above;
}

/** The same column in the line below; undefined in the last line. */
export function lineBelow(buffer: EditBuffer): number | undefined {
  const end = lineEnd(buffer);
  if (end === buffer.text.length) return undefined;
  const below = lineEnd({ text: buffer.text, cursor: end + 1 });
  return atColumn(buffer.text.slice(end + 1, below), columnOf(buffer)) + end + 1;
}

function columnOf(buffer: EditBuffer): number {
  const line = buffer.text.slice(lineStart(buffer), buffer.cursor);
  return graphemes(line).reduce((sum, one) => sum + shownGrapheme(one).columns, 0);
}

function atColumn(line: string, column: number): number {
  let position = 0;
  let columns = 0;
  for (const one of graphemes(line)) {
    columns += shownGrapheme(one).columns;
    if (columns > column) break;
    position += one.length;
  }
  return position;
}

/** More characters never form a single one, except to annoy. */
const NEAR = 64;

export function before(text: string, position: number): number {
  const near = graphemes(text.slice(Math.max(0, position - NEAR), position));
  return position - (near.at(-1)?.length ?? 0);
}

function after(text: string, position: number): number {
  return position + (graphemes(text.slice(position, position + NEAR))[0]?.length ?? 0);
}
