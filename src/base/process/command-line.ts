import { DragomanError } from "../dragoman-error.ts";
export class UnclosedQuoteError extends DragomanError {
  override readonly name = "UnclosedQuoteError";
  readonly quote: string;

  constructor(quote: string) {
    super("invalid_argument", `the command line has an unclosed ${quote}`);
    this.quote = quote;
  }
}

/**
 * Splits a command line into words. Quotes and backslashes work as in a shell; variables, patterns
 * and operators do not. Throws UnclosedQuoteError.
 */
export function splitCommandLine(text: string): readonly string[] {
  const words: string[] = [];
  let word = "";
  let inWord = false;
  let quote: "'" | '"' | undefined;
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (quote === undefined && /\s/.test(character)) {
      if (inWord) words.push(word);
      word = "";
      inWord = false;
      continue;
    }
    inWord = true;
    if (character === quote) quote = undefined;
    else if (quote === undefined && (character === "'" || character === '"')) quote = character;
    else if (character === "\\" && quote !== "'" && escapes(text.charAt(i + 1), quote)) {
      word += text.charAt(++i);
    } else word += character;
  }
  if (quote !== undefined) throw new UnclosedQuoteError(quote);
  if (inWord) words.push(word);
  return words;
}

/** A backslash before any other character is literal, as in Windows paths. */
function escapes(next: string, quote: string | undefined): boolean {
  if (next === "") return false;
  return quote === undefined ? /[\s'"\\]/.test(next) : next === '"' || next === "\\";
}

/** Joins words into a line that splits into the same words again, here and in a shell. */
export function joinCommandLine(words: readonly string[]): string {
  return words.map(quoted).join(" ");
}

/** Quotes one word for a shell, with the quotes that are easiest to read. */
export function quoted(word: string): string {
  if (/^[\w@%+=:,./~-]+$/.test(word)) return word;
  if (word.includes("'") && !/["$`\\!]/.test(word)) return `"${word}"`;
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
