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
