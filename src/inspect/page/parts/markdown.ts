/** A piece of a paragraph. */
export type MarkdownInline =
  | { readonly type: "text" | "code"; readonly text: string }
  | { readonly type: "break" }
  | {
      readonly type: "strong" | "emphasis" | "deleted";
      readonly children: readonly MarkdownInline[];
    }
  | { readonly type: "link"; readonly href: string; readonly children: readonly MarkdownInline[] };

/** A block of a document. */
export type MarkdownBlock =
  | {
      readonly type: "heading";
      readonly level: number;
      readonly children: readonly MarkdownInline[];
    }
  | { readonly type: "paragraph"; readonly children: readonly MarkdownInline[] }
  | { readonly type: "code"; readonly language: string; readonly text: string }
  | { readonly type: "quote"; readonly blocks: readonly MarkdownBlock[] }
  | {
      readonly type: "list";
      readonly isOrdered: boolean;
      readonly start: number;
      readonly items: readonly {
        readonly isDone: boolean | undefined;
        readonly blocks: readonly MarkdownBlock[];
      }[];
    }
  | {
      readonly type: "table";
      readonly head: readonly (readonly MarkdownInline[])[];
      readonly rows: readonly (readonly (readonly MarkdownInline[])[])[];
    }
  | { readonly type: "rule" };

/** Deeper nesting stays text, so that hostile texts cannot exhaust the stack. */
const MOST_DEPTH = 8;
const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^\s`]*)[^`]*$/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(?:\s+(.*)|$)/;
const DIVIDER = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

/** Reads Markdown. HTML and images are not understood and stay text. Never throws. */
export function parseMarkdown(text: string, depth = 0): readonly MarkdownBlock[] {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const blocks: MarkdownBlock[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? "";
    if (line.trim() === "") {
      at++;
      continue;
    }
    const read = depth < MOST_DEPTH ? readBlock(lines, at, depth) : undefined;
    const { block, next } = read ?? paragraph(lines, at, depth);
    blocks.push(block);
    at = next;
  }
  return blocks;
}

interface ReadBlock {
  readonly block: MarkdownBlock;
  readonly next: number;
}

function readBlock(lines: readonly string[], at: number, depth: number): ReadBlock | undefined {
  const line = lines[at] ?? "";
  const fence = FENCE.exec(line);
  if (fence) return code(lines, at, fence[1] ?? "```", fence[2] ?? "");
  const heading = HEADING.exec(line);
  if (heading) {
    const children = parseInline(heading[2] ?? "");
    const level = heading[1]?.length ?? 1;
    return { block: { type: "heading", level, children }, next: at + 1 };
  }
  if (RULE.test(line)) return { block: { type: "rule" }, next: at + 1 };
  if (QUOTE.test(line)) {
    const end = endOf(lines, at, (next) => QUOTE.test(next));
    const inner = lines.slice(at, end).map((quoted) => quoted.replace(QUOTE, ""));
    return {
      block: { type: "quote", blocks: parseMarkdown(inner.join("\n"), depth + 1) },
      next: end,
    };
  }
  if (ITEM.test(line)) return list(lines, at, depth);
  if (line.includes("|") && DIVIDER.test(lines[at + 1] ?? "")) return table(lines, at);
  return undefined;
}

function endOf(lines: readonly string[], at: number, goesOn: (line: string) => boolean): number {
  let end = at + 1;
  while (end < lines.length && goesOn(lines[end] ?? "")) end++;
  return end;
}

function code(lines: readonly string[], at: number, fence: string, language: string): ReadBlock {
  const close = new RegExp(`^ {0,3}${fence[0] ?? "`"}{${fence.length},}\\s*$`);
  const end = endOf(lines, at, (line) => !close.test(line));
  const text = lines.slice(at + 1, end).join("\n");
  return { block: { type: "code", language, text }, next: end + 1 };
}

function list(lines: readonly string[], at: number, depth: number): ReadBlock {
  const first = ITEM.exec(lines[at] ?? "");
  const isOrdered = /\d/.test(first?.[2] ?? "");
  const items: { isDone: boolean | undefined; blocks: readonly MarkdownBlock[] }[] = [];
  let next = at;
  while (next < lines.length) {
    const match = ITEM.exec(lines[next] ?? "");
    if (!match || /\d/.test(match[2] ?? "") !== isOrdered || RULE.test(lines[next] ?? "")) break;
    const indent = (match[1]?.length ?? 0) + (match[2]?.length ?? 1) + 1;
    const end = itemEnd(lines, next, indent);
    const rest = lines
      .slice(next + 1, end)
      .map((line) => line.replace(new RegExp(`^ {0,${indent}}`), ""));
    const [, mark, body] = /^\[([ xX])\]\s+(.*)$/.exec(match[3] ?? "") ?? [];
    const text = [body ?? match[3] ?? "", ...rest].join("\n");
    items.push({
      isDone: mark === undefined ? undefined : mark !== " ",
      blocks: parseMarkdown(text, depth + 1),
    });
    next = end;
  }
  const start = isOrdered ? Number.parseInt(first?.[2] ?? "1", 10) : 1;
  return { block: { type: "list", isOrdered, start, items }, next };
}

/** Where an item ends: at the next item, or at a line that is not indented after an empty one. */
function itemEnd(lines: readonly string[], at: number, indent: number): number {
  let wasEmpty = false;
  let end = at + 1;
  for (; end < lines.length; end++) {
    const line = lines[end] ?? "";
    if (line.trim() === "") {
      wasEmpty = true;
      continue;
    }
    const isIndented = line.startsWith(" ".repeat(Math.min(indent, 2)));
    if (!isIndented && (wasEmpty || startsBlock(line))) break;
    wasEmpty = false;
  }
  return end;
}

function startsBlock(line: string): boolean {
  return [FENCE, HEADING, RULE, QUOTE, ITEM].some((pattern) => pattern.test(line));
}

function table(lines: readonly string[], at: number): ReadBlock {
  const end = endOf(lines, at + 1, (line) => line.includes("|") && line.trim() !== "");
  const rows = [at, ...Array.from({ length: end - at - 2 }, (_, index) => at + 2 + index)].map(
    (index) => cellsOf(lines[index] ?? "").map((cell) => parseInline(cell)),
  );
  const [head = [], ...body] = rows;
  return { block: { type: "table", head, rows: body }, next: end };
}

function cellsOf(line: string): readonly string[] {
  const inner = line.trim().replace(/^\|/, "").replace(/\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll(String.raw`\|`, "|"));
}

function paragraph(lines: readonly string[], at: number, depth: number): ReadBlock {
  const end = endOf(
    lines,
    at,
    (line) => line.trim() !== "" && (depth >= MOST_DEPTH || !startsBlock(line)),
  );
  const text = lines.slice(at, end).join("\n").trim();
  return { block: { type: "paragraph", children: parseInline(text) }, next: end };
}

const INLINE =
  /(?<code>`+)(?<inside>[^]*?[^`])\k<code>(?!`)|\\(?<escaped>[!-/:-@[-`{-~])|\[(?<label>[^[\]]{0,1000})\]\((?<href>[^()\s]{0,2000}(?:\([^()\s]{0,200}\))?[^()\s]{0,200})(?:\s+"[^"]*")?\)|(?<strong>\*\*|__)(?=\S)(?<bold>[^]{0,2000}?\S)\k<strong>|~~(?=\S)(?<gone>[^]{0,2000}?\S)~~|(?<!\w)(?<em>[*_])(?=[^\s*_])(?<slanted>[^*_]{1,2000}?)(?<=\S)\k<em>(?!\w)|<?(?<url>https?:\/\/[^\s<>"'`)\]]{0,2000}[^\s<>"'`)\].,;:!?])>?|(?<hard> {2,}\n|\\\n)/g;

/** Reads the inside of a paragraph. */
export function parseInline(text: string, depth = 0): readonly MarkdownInline[] {
  const pieces: MarkdownInline[] = [];
  let from = 0;
  const addText = (to: number): void => {
    if (to > from) pieces.push({ type: "text", text: text.slice(from, to) });
  };
  for (const match of depth < MOST_DEPTH ? text.matchAll(INLINE) : []) {
    const piece = inlineOf(match.groups ?? {}, depth);
    if (!piece) continue;
    addText(match.index);
    pieces.push(piece);
    from = match.index + match[0].length;
  }
  addText(text.length);
  return pieces;
}

function inlineOf(
  groups: Readonly<Record<string, string | undefined>>,
  depth: number,
): MarkdownInline | undefined {
  const { inside, escaped, label, href, bold, gone, slanted, url, hard } = groups;
  if (inside !== undefined) return { type: "code", text: inside.replace(/^ (.*) $/s, "$1") };
  if (escaped !== undefined) return { type: "text", text: escaped };
  if (href !== undefined) {
    const safe = safeHref(href);
    const children = parseInline(label ?? "", depth + 1);
    // The label of a link that may not be followed stays, with its target as text.
    return safe === undefined
      ? { type: "text", text: `[${label ?? ""}](${href})` }
      : { type: "link", href: safe, children };
  }
  if (bold !== undefined) return { type: "strong", children: parseInline(bold, depth + 1) };
  if (gone !== undefined) return { type: "deleted", children: parseInline(gone, depth + 1) };
  if (slanted !== undefined) return { type: "emphasis", children: parseInline(slanted, depth + 1) };
  if (url !== undefined)
    return { type: "link", href: url, children: [{ type: "text", text: url }] };
  return hard === undefined ? undefined : { type: "break" };
}

/** Links to anything but the web and mail addresses are not followed. */
export function safeHref(href: string): string | undefined {
  return /^(?:https?:\/\/|mailto:)/i.test(href) ? href : undefined;
}
