import { REDACTED } from "./token-shapes.ts";

/** JSON's short forms of control characters. */
const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\b", "b"],
  ["\f", "f"],
  ["\n", "n"],
  ["\r", "r"],
  ["\t", "t"],
]);

/**
 * How often a text may have been escaped, as JSON inside JSON is. Each time doubles the backslashes
 * and adds one. The limit also keeps the cost of a long run of backslashes linear.
 */
const LEVELS = 3;
const MOST_BACKSLASHES = 2 ** LEVELS - 1;

/**
 * Returns a function that hides these values wherever they appear in a text, as they are or escaped
 * as in a JSON string, by any serialiser and up to three times over.
 */
export function valueHider(values: readonly string[]): (text: string) => string {
  const longestFirst = [...new Set(values)]
    .filter((value) => value !== "")
    .toSorted((a, b) => b.length - a.length);
  if (longestFirst.length === 0) return (text) => text;
  const pattern = new RegExp(longestFirst.map(patternOf).join("|"), "g");
  return (text) => text.replace(pattern, REDACTED);
}

/** A pattern for a value in all its spellings. Backslashes before a character belong to it. */
function patternOf(value: string): string {
  return value.replace(/(\\*)([^\\]|$)/g, (_, backslashes: string, unit: string) => {
    const least = backslashes.length;
    const most = least * 2 ** LEVELS + MOST_BACKSLASHES;
    const isPlain = unit === "" || /[A-Za-z0-9]/.test(unit);
    if (isPlain) return least === 0 ? unit : `\\\\{${least},${most}}${unit}`;
    const itself = `\\\\{${least},${most}}\\u${hexOf(unit)}`;
    return `(?:${itself}|\\\\{${least + 1},${most}}(?:${escapesOf(unit).join("|")}))`;
  });
}

/** How serialisers escape a UTF-16 unit, without the backslash. None escapes letters and digits. */
function escapesOf(unit: string): readonly string[] {
  const hex = hexOf(unit);
  const short = SHORT_ESCAPES.get(unit);
  return [`u${hex}`, `u${hex.toUpperCase()}`, ...(short === undefined ? [] : [short])];
}

function hexOf(unit: string): string {
  return unit.charCodeAt(0).toString(16).padStart(4, "0");
}
