/** One compiled rule of a `.gitignore`. */
interface IgnoreRule {
  readonly pattern: RegExp;
  readonly negated: boolean;
  readonly foldersOnly: boolean;
}

/** Whether a path is ignored. It is relative to the rules' folder, with forward slashes. */
export type Ignores = (path: string, isFolder: boolean) => boolean | undefined;

/** A longer line is not a real pattern, and its regular expression could be slow. */
const MAX_PATTERN_CHARS = 200;

/**
 * Parses a `.gitignore`: comments, negation, anchors, `*`, `?`, `**` and folder-only patterns, but no
 * bracket expressions. The returned function gives undefined if no rule applies. Never throws.
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
  if (pattern === "" || pattern.startsWith("#") || pattern.length > MAX_PATTERN_CHARS) return [];
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
