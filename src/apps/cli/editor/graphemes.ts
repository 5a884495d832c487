import { columnsOf } from "../render/terminal/columns.ts";
import { sanitiseLine } from "../render/terminal/sanitise.ts";

let segmenter: Intl.Segmenter | undefined;
const ASCII = /^[ -~]*$/;

/** The characters of a text as a reader counts them: an emoji with its modifiers is one. */
export function graphemes(text: string): readonly string[] {
  if (ASCII.test(text)) return text.split("");
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** More characters never form a single one, except to annoy. */
const NEAR = 64;

/** Where the character before a position begins. */
export function before(text: string, position: number): number {
  const near = graphemes(text.slice(Math.max(0, position - NEAR), position));
  return position - (near.at(-1)?.length ?? 0);
}

/** Where the character after a position ends. */
export function after(text: string, position: number): number {
  return position + (graphemes(text.slice(position, position + NEAR))[0]?.length ?? 0);
}

const TAB_COLUMNS = 4;

/** How the terminal shows a character: safe, and as wide as `columns` says. */
export function shownGrapheme(grapheme: string): {
  readonly text: string;
  readonly columns: number;
} {
  if (ASCII.test(grapheme)) return { text: grapheme, columns: grapheme.length };
  if (grapheme === "\t") return { text: " ".repeat(TAB_COLUMNS), columns: TAB_COLUMNS };
  // Joiners and modifiers are part of the character here, and cannot act on the terminal.
  const text = EMOJI.test(grapheme) ? grapheme : sanitiseLine(grapheme);
  const columns = columnsOf(text);
  // Terminals that join emoji show them in two columns.
  return { text, columns: text === grapheme ? Math.min(columns, 2) : columns };
}

const EMOJI = /^(?:\p{Extended_Pictographic}|\p{Regional_Indicator})(?:\p{Emoji}|\u200d|\ufe0f)*$/u;
