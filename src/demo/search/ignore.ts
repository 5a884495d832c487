/** One rule of a `.gitignore`, compiled. */
interface IgnoreRule {
  readonly pattern: RegExp;
  readonly negated: boolean;
  readonly foldersOnly: boolean;
}

/** Says whether a path, relative to the rules' folder and with forward slashes, is ignored. */
export type Ignores = (path: string, isFolder: boolean) => boolean | undefined;

/** A pattern of this length is no pattern, and its regular expression could be slow. */
const LONGEST_PATTERN = 200;

/**
 * Reads a `.gitignore`: comments, negation, anchors, `*`, `?`, `**` and folder-only patterns; no
 * bracket expressions. The answer is undefined where no rule applies. Total.
 */
export function parseIgnore(text: string): Ignores {
  const rules = text.split(/\r?\n/).flatMap(toRule);
  return (path, isFolder) => {
    let ignored: boolean | undefined;
    for (const { pattern, negated, foldersOnly } of rules) {
      if ((isFolder || !foldersOnly) && pattern.test(path)) ignored = !negated;
    }
    return ignored;
  };
}

function toRule(line: string): IgnoreRule[] {
  let pattern = line.trimEnd();
  if (pattern === "" || pattern.startsWith("#") || pattern.length > LONGEST_PATTERN) return [];
  const negated = pattern.startsWith("!");
  if (negated) pattern = pattern.slice(1);
  const foldersOnly = pattern.endsWith("/");
  if (foldersOnly) pattern = pattern.slice(0, -1);
  const anchored = pattern.includes("/");
  if (pattern.startsWith("/")) pattern = pattern.slice(1);
  if (pattern === "") return [];
  const body = pattern
    .split("/")
    .map((part) => (part === "**" ? "**" : escaped(part)))
    .join("/")
    .replaceAll("**/", "(?:[^/]+/)*")
    .replaceAll("/**", "/.*")
    .replaceAll("**", ".*");
  return [{ pattern: new RegExp(`${anchored ? "^" : "(?:^|/)"}${body}$`), negated, foldersOnly }];
}

function escaped(part: string): string {
  return part
    .replace(/\*+/g, "*")
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", "[^/]*")
    .replaceAll("?", "[^/]");
}
