/**
 * Compiles a path pattern to a test for absolute paths: `*` and `?` match within a folder, `**` matches
 * across folders, and `{a,b}` matches either. A pattern that ends in `/` or `/**` also matches the
 * folder itself.
 */
export function globTest(pattern: string, ignoreCase = false): (path: string) => boolean {
  const expression = new RegExp(
    `^${translate(pattern.replace(/\/+$/, "/**"))}$`,
    ignoreCase ? "iu" : "u",
  );
  return (path) => expression.test(path.replaceAll("\\", "/"));
}

function translate(pattern: string): string {
  let out = "";
  let depth = 0;
  for (let i = 0; i < pattern.length; i++) {
    const rest = pattern.slice(i);
    const character = pattern.charAt(i);
    if (rest === "/**") return `${out}(?:/.*)?`;
    if (rest.startsWith("**/")) {
      out += "(?:[^/]+/)*";
      i += 2;
    } else if (rest.startsWith("**")) {
      out += ".*";
      i += 1;
    } else if (character === "*") out += "[^/]*";
    else if (character === "?") out += "[^/]";
    else if (character === "{") {
      out += "(?:";
      depth++;
    } else if (character === "}" && depth > 0) {
      out += ")";
      depth--;
    } else if (character === "," && depth > 0) out += "|";
    else out += character.replace(/[\\^$.*+?()[\]{}|/]/, String.raw`\$&`);
  }
  return out + ")".repeat(depth);
}
