/** A part of a text: the index of its first character, and the index after its last one. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const QUOTE = 0x22;

const BACKSLASH = 0x5c;

const COLON = 0x3a;

/** Finds a member of the object at or after `from` in valid JSON. The last one counts, as in `JSON.parse`. */
export function memberSpan(text: string, key: string, from = 0): Span | undefined {
  let found: Span | undefined;
  let at = skipSpace(text, text.indexOf("{", from) + 1);
  while (text.charCodeAt(at) === QUOTE) {
    const keyEnd = stringEnd(text, at);
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = valueEnd(text, start);
    if (isKey(text.slice(at, keyEnd), key)) found = { start, end };
    at = skipSpace(text, end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return found;
}

/** The number of keys in a text of valid JSON, at all depths. A repeated key counts each time. */
export function jsonKeyCount(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = stringEnd(text, at);
    } else {
      if (code === COLON) count++;
      at++;
    }
  }
  return count;
}

export function spliceText(text: string, { start, end }: Span, part: string): string {
  return text.slice(0, start) + part + text.slice(end);
}

function isKey(quoted: string, key: string): boolean {
  if (!quoted.includes("\\")) return quoted.slice(1, -1) === key;
  return JSON.parse(quoted) === key;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  for (let code = text.charCodeAt(at); code <= 0x20; code = text.charCodeAt(at)) at++;
  return at;
}

/** The index after the closing quote of the string that starts at `from`. */
function stringEnd(text: string, from: number): number {
  let at = from + 1;
  for (;;) {
    at = text.indexOf('"', at);
    if (at === -1) return text.length;
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
    at++;
    if (slashes % 2 === 0) return at;
  }
}

function valueEnd(text: string, from: number): number {
  const first = text[from];
  if (first === '"') return stringEnd(text, from);
  if (first !== "{" && first !== "[") return scalarEnd(text, from);
  let depth = 0;
  for (let at = from; at < text.length;) {
    const character = text[at];
    if (character === '"') {
      at = stringEnd(text, at);
      continue;
    }
    at++;
    if (character === "{" || character === "[") depth++;
    else if ((character === "}" || character === "]") && --depth === 0) return at;
  }
  return text.length;
}

function scalarEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && !/[\s,}\]]/.test(text.charAt(at))) at++;
  return at;
}
