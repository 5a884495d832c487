import { eastAsianWidth } from "get-east-asian-width";
import { sanitizeLine } from "../../../../base/index.ts";

/** Characters that take no column: marks on the character before them, and invisible ones. */
const NO_COLUMN = /\p{Mark}|\p{Format}|\p{Control}/u;

const ESCAPE = "\u001b";
/** Sequences that take no column: colors and other styles, and both ends of a link. */
const STYLE = `${ESCAPE}\\[[0-9;:]*m`;
const LINK = `${ESCAPE}\\]8;[ -~]*?(?:\\u0007|${ESCAPE}\\\\)`;
const STYLES = new RegExp(`${STYLE}|${LINK}`, "g");

/** How many columns a text takes on a terminal: a CJK character takes two. Emoji sequences may take fewer. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += columnsOfCharacter(character);
  return columns;
}

/** As much of a text as fits into this many columns, with an ellipsis if something is missing. */
export function cutToColumns(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let fitting = "";
  let left = columns - 1;
  for (const character of text) {
    left -= columnsOfCharacter(character);
    if (left < 0) break;
    fitting += character;
  }
  return `${fitting}…`;
}

/** A text without the sequences that take no column: styles and links. */
export function withoutStyles(text: string): string {
  return text.includes(ESCAPE) ? text.replace(STYLES, "") : text;
}

function columnsOfCharacter(character: string): number {
  // Most text is ASCII, which needs no look at any table.
  if (character >= " " && character <= "~") return 1;
  return NO_COLUMN.test(character) ? 0 : eastAsianWidth(character.codePointAt(0) ?? 0);
}

const PIECES = new RegExp(`(${STYLE})|(${LINK})|([^])`, "gu");
const TAB_STOP = 8;
const RESET = `${ESCAPE}[0m`;

/** The codes that end each style. */
const ENDS: Readonly<Record<number, (code: number) => boolean>> = {
  22: (code) => code === 1 || code === 2,
  23: (code) => code === 3,
  24: (code) => code === 4,
  27: (code) => code === 7,
  29: (code) => code === 9,
  39: (code) => (code >= 30 && code <= 38) || (code >= 90 && code <= 97),
  49: (code) => (code >= 40 && code <= 48) || (code >= 100 && code <= 107),
};

/**
 * Breaks text into rows that fit into a number of columns, where the terminal itself would break it. Each row
 * has the styles that are open at its beginning, and ends them. Pure.
 */
export function wrapRows(text: string, columns: number): readonly string[] {
  const rows: string[] = [];
  let row = "";
  let used = 0;
  let open: readonly string[] = [];
  const end = (): void => {
    rows.push(open.length > 0 ? row + RESET : row);
    row = open.join("");
    used = 0;
  };
  for (const [piece, style, link] of text.matchAll(PIECES)) {
    if (style !== undefined) open = afterStyle(open, style);
    if (style !== undefined || link !== undefined) {
      row += piece;
      continue;
    }
    if (piece === "\n") {
      end();
      continue;
    }
    const width = piece === "\t" ? TAB_STOP - (used % TAB_STOP) : columnsOf(piece);
    if (used + width > columns && used > 0) end();
    row += piece === "\t" ? " ".repeat(Math.min(width, columns)) : piece;
    used += width;
  }
  end();
  return rows;
}

function afterStyle(open: readonly string[], style: string): readonly string[] {
  const code = Number.parseInt(style.slice(2), 10);
  if (Number.isNaN(code) || code === 0) return [];
  const ends = ENDS[code];
  if (ends === undefined) return [...open, style];
  return open.filter((one) => !ends(Number.parseInt(one.slice(2), 10)));
}

let segmenter: Intl.Segmenter | undefined;

const ASCII = /^[ -~]*$/;

/** The characters of a text as a reader counts them: an emoji with its modifiers is one. */
export function graphemes(text: string): readonly string[] {
  if (ASCII.test(text)) return text.split("");
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
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
  const text = EMOJI.test(grapheme) ? grapheme : sanitizeLine(grapheme);
  const columns = columnsOf(text);
  // Terminals that join emoji show them in two columns.
  return { text, columns: text === grapheme ? Math.min(columns, 2) : columns };
}

const EMOJI = /^(?:\p{Extended_Pictographic}|\p{Regional_Indicator})(?:\p{Emoji}|\u200d|\ufe0f)*$/u;
