import type { Token } from "../../../../base/markdown/index.ts";

/** The index of the first block that may still grow. */
export function firstOpenBlock(tokens: readonly Token[]): number {
  const last = tokens.findLastIndex(({ type }) => type !== "space");
  const token = tokens[last];
  if (token === undefined) return 0;
  const raw = tokens
    .slice(last)
    .map((one) => one.raw)
    .join("");
  return isComplete(token, raw) ? tokens.length : last;
}

/** Whether a block with everything that follows it cannot change anymore. */
function isComplete({ type }: Token, raw: string): boolean {
  if (type === "list" || type === "code") return false;
  if (endsWithBlankLine(raw) || /\n[ \t]*\n/.test(raw)) return true;
  return (type === "heading" || type === "hr") && raw.endsWith("\n");
}

/**
 * Where to cut a source that is too long: before a paragraph, or else after its last line or word, or at
 * its end.
 */
export function lastBreak(source: string): number {
  const paragraph = [...source.matchAll(/\n\n(?=\S)/g)].at(-1)?.index ?? -2;
  const last = [paragraph + 1, source.lastIndexOf("\n"), source.lastIndexOf(" ")];
  return (last.find((at) => at > 0) ?? source.length - 1) + 1;
}

/** The first code fence in a source that is not part of a list. */
export function findFence(source: string, isFinal: boolean) {
  let start = 0;
  /** The last line that is not indented. */
  let outer = "";
  while (start < source.length) {
    const end = source.indexOf("\n", start);
    if (end === -1 && !isFinal) return undefined;
    const after = end === -1 ? source.length : end + 1;
    const line = source.slice(start, end === -1 ? undefined : end);
    const fence = openingFence(line);
    if (fence !== undefined && (fence.indent < 2 || !beginsItem(outer)))
      return { start, fence, after };
    if (/^ ?\S/.test(line)) outer = line;
    start = after;
  }
  return undefined;
}

/** Whether a line begins an item of a list, to which the indented lines after it belong. */
function beginsItem(line: string): boolean {
  return /^ ?(?:[-*+]|\d{1,9}[.)])(?:\s|$)/.test(line);
}

export interface Fence {
  readonly mark: string;
  readonly size: number;
  readonly indent: number;
  readonly info: string;
}

/** The fence that a line opens, if it does. */
function openingFence(line: string): Fence | undefined {
  const match = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})(.*)$/.exec(line);
  if (match === null) return undefined;
  const [, indent = "", marks = "", info = ""] = match;
  return { mark: marks.charAt(0), size: marks.length, indent: indent.length, info: info.trim() };
}

export function closesFence(line: string, { mark, size }: Fence): boolean {
  const [, marks = ""] = /^ {0,3}(`+|~+)[ \t]*$/.exec(line) ?? [];
  return marks.startsWith(mark) && marks.length >= size;
}

/** A line of code without the indentation that its fence has too. */
export function withoutIndent(line: string, { indent }: Fence): string {
  const spaces = /^ */.exec(line)?.[0].length ?? 0;
  return line.slice(Math.min(indent, spaces));
}

/**
 * A line of which nothing but a mark has arrived yet. It could become a list, a heading, an underline or
 * a fence, so it is not shown before more of it is there.
 */
const ONLY_MARKS =
  /^(?:[ \t]+|[ \t]*(?:[-=*_+#>`~|:][-=*_+#>`~|: ]*|\d{1,9}[.)]?|(?:`{3,}|~{3,})[^`\n]*))$/;

/**
 * A source that is still growing, as it will probably read: without marks at its end that mean nothing
 * yet, and with emphasis, code and links closed. The next piece may prove it wrong; then the block is
 * drawn again. The time must not grow with the square of the length, so no expression here may look for
 * its end from many places.
 */
export function openText(source: string): string {
  const end = source.lastIndexOf("\n");
  const text = ONLY_MARKS.test(source.slice(end + 1)) ? source.slice(0, Math.max(0, end)) : source;
  return text + closers(text.slice(text.lastIndexOf("\n\n") + 1));
}

function closers(text: string): string {
  const outside = text.replace(/(?<!`)(`+)(?!`)[^]*?(?<!`)\1(?!`)/g, "");
  const [code] = /(?<!`)`+(?=[^`]*$)/.exec(outside) ?? [];
  if (code !== undefined) return code;
  if (endsInAddress(outside)) return ")";
  const unescaped = outside.replace(/\\[^]/g, "").replace(/^[ \t]*\*\s/gm, "");
  const strong = unescaped.split("**").length % 2 === 0;
  const em = unescaped.replaceAll("**", "").split("*").length % 2 === 0;
  // A mark after a space closes nothing.
  if (/\s$/.test(text)) return "";
  return `${em ? "*" : ""}${strong ? "**" : ""}`;
}

/** Whether the text ends in the address of a link, as in `[a](b`. */
function endsInAddress(text: string): boolean {
  const at = /\]\([^()\s]*$/.exec(text)?.index ?? -1;
  const before = text.slice(0, Math.max(0, at));
  const closed = Math.max(before.lastIndexOf("]"), before.lastIndexOf("\n"));
  return before.lastIndexOf("[") > closed;
}

export function endsWithBlankLine(raw: string): boolean {
  return /\n[ \t]*\n/.test(trailingSpace(raw));
}

/** A regular expression would rescan the text from each space inside it. */
export function trailingSpace(text: string): string {
  return text.slice(text.trimEnd().length);
}

/** The language of the info string of a code fence. */
export function fenceLanguage(info: string): string {
  return /^[^\s{,:]*/.exec(info.trim())?.[0].toLowerCase() ?? "";
}
