import { eastAsianWidth } from "get-east-asian-width";

/** Characters that take no column: marks on the character before them, and invisible ones. */
const NO_COLUMN = /\p{Mark}|\p{Format}|\p{Control}/u;

const ESCAPE = "\u001b";
/** Sequences that take no column: colours, other styles, and both ends of a link. */
const STYLES = new RegExp(
  `${ESCAPE}\\[[0-9;:]*m|${ESCAPE}\\]8;[ -~]*?(?:\\u0007|${ESCAPE}\\\\)`,
  "g",
);

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
