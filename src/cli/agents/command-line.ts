import { usageError } from "../exit.ts";

/**
 * Splits a command line into words, with quotes and backslashes as a shell has them and nothing
 * else of a shell: no variables, no patterns, no operators.
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
  if (quote !== undefined) throw usageError(`--agent-command has an open ${quote}`);
  if (inWord) words.push(word);
  return words;
}

/** A backslash before anything else is a backslash, as in paths of Windows. */
function escapes(next: string, quote: string | undefined): boolean {
  if (next === "") return false;
  return quote === undefined ? /[\s'"\\]/.test(next) : next === '"' || next === "\\";
}

/** The words as a line that splits into them again, here and in a shell. */
export function joinCommandLine(words: readonly string[]): string {
  return words.map(quoted).join(" ");
}

/** One word for a shell, in the quotes that are easiest to read. */
export function quoted(word: string): string {
  if (/^[\w@%+=:,./~-]+$/.test(word)) return word;
  if (word.includes("'") && !/["$`\\!]/.test(word)) return `"${word}"`;
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
