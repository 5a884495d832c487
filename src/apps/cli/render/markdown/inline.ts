import {
  decodeEntities,
  isMarkedToken,
  safeLink,
  type Token,
} from "../../../../base/markdown/index.ts";
import { sanitize } from "../../../../base/index.ts";
import { type TextSpan, span } from "../terminal/spans.ts";
import type { StyleName } from "../terminal/style.ts";

export interface InlineLook {
  /** Whether styles show. Without them, the marks of Markdown stay in the text. */
  readonly styled: boolean;
  /** Whether the terminal shows links. Otherwise their addresses follow the text. */
  readonly links: boolean;
}

/**
 * The inline tokens of a block as spans. Line breaks stay, even those that Markdown takes for spaces: an
 * agent that begins a new line means it.
 */
export function inlineSpans(
  tokens: readonly Token[],
  look: InlineLook,
  styles: readonly StyleName[] = [],
): readonly TextSpan[] {
  return tokens.flatMap((token) => spansOf(token, look, styles));
}

function spansOf(
  token: Token,
  look: InlineLook,
  styles: readonly StyleName[],
): readonly TextSpan[] {
  if (!isMarkedToken(token)) return [span(safeText(token.raw), ...styles)];
  const marked = (mark: string, name: StyleName, inner: readonly Token[]): readonly TextSpan[] =>
    look.styled
      ? inlineSpans(inner, look, [...styles, name])
      : [span(mark, ...styles), ...inlineSpans(inner, look, styles), span(mark, ...styles)];
  switch (token.type) {
    case "strong":
      return marked("**", "bold", token.tokens);
    case "em":
      return marked("*", "italic", token.tokens);
    case "del":
      return marked("~~", "strike", token.tokens);
    case "codespan":
      return look.styled
        ? [span(safeText(token.text), ...styles, "cyan")]
        : [span(safeText(token.raw), ...styles)];
    case "br":
      return [span("\n", ...styles)];
    case "link":
      return linkSpans(inlineSpans(token.tokens, look, styles), token.href, look, styles);
    case "image": {
      const text = token.text === "" ? "image" : decodeEntities(token.text);
      return linkSpans([span(safeText(`[${text}]`), ...styles)], token.href, look, styles);
    }
    case "checkbox":
      return [span(token.checked ? "[x] " : "[ ] ", ...styles)];
    case "text":
      return token.tokens === undefined
        ? [span(safeLines(decodeEntities(token.text)), ...styles)]
        : inlineSpans(token.tokens, look, styles);
    case "escape":
      return [span(safeText(decodeEntities(token.text)), ...styles)];
    default:
      return [span(safeText(token.raw), ...styles)];
  }
}

/** The text of a link, which leads to its address, and the address itself where the text could hide it. */
function linkSpans(
  text: readonly TextSpan[],
  href: string,
  look: InlineLook,
  styles: readonly StyleName[],
): readonly TextSpan[] {
  const plain = text.map((one) => one.text).join("");
  const link = safeLink(href);
  const shown = text.map((one): TextSpan => ({
    ...one,
    styles: one.styles.includes("underline") ? one.styles : [...one.styles, "underline"],
    link: look.links && look.styled ? link : undefined,
  }));
  const address = safeText(href);
  const isTold = plain === address || address === `mailto:${plain}`;
  const isLinked = look.links && look.styled && link !== undefined && isHonest(plain, link);
  return isTold || isLinked ? shown : [...shown, span(` (${address})`, ...styles)];
}

/**
 * Text that cannot act on a terminal. Here and not only before the parser, because a character reference
 * such as `&#27;` makes any character.
 */
function safeText(text: string): string {
  return sanitize(text).replace(/[\n\t]/g, " ");
}

function safeLines(text: string): string {
  return sanitize(text)
    .replace(/\t/g, " ")
    .replace(/(?<! ) *\n */g, "\n");
}

/**
 * Whether the text of a link may stand for its address. A text that looks like another address may
 * not: it would hide where the link leads.
 */
export function isHonest(text: string, address: string): boolean {
  const bare = (value: string): string =>
    value.replace(/^[a-z]+:(?:\/\/)?/i, "").replace(/\/$/, "");
  if (bare(text.trim()) === bare(address)) return true;
  return !/^\s*(?:[a-z][a-z\d+.-]*:|(?:[\w-]+\.)+[a-z]{2,}(?:[/:?#]|\s*$)|\S+@\S+)/i.test(text);
}
