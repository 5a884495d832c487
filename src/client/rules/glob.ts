import { DragomanError } from "../../base/index.ts";
/** A path pattern that cannot be used. The message says why. */
export class PatternError extends DragomanError {
  override readonly name = "PatternError";

  constructor(message: string, options?: ErrorOptions) {
    super("invalid_argument", message, options);
  }
}

interface PatternOptions {
  readonly ignoreCase: boolean;
  /** Whether the pattern also matches everything below the paths it names. */
  readonly withBelow: boolean;
}

/** A pattern with more alternatives is a mistake, and each of them costs time on every request. */
const MAX_ALTERNATIVES = 100;

/** Wildcards that other tools know. Here they would silently match nothing, and a deny rule fail. */
const UNSUPPORTED: readonly (readonly [RegExp, string])[] = [
  [/[[\]]/, "[...]"],
  [/^!/, "a leading !"],
  [/[?*+@!]\(/, "(...) after a wildcard"],
  [/\\/, "a backslash"],
];

/**
 * Compiles the part of a pattern below `base`, which is taken literally: `*` and `?` match within a
 * folder, `**` matches any number of folders, and `{a,b}` matches either. A pattern that ends in `/`
 * or `/**` also matches the folder itself. Throws a PatternError for any other syntax.
 *
 * Matching takes time proportional to the product of the lengths, for any pattern: regular
 * expressions could take exponential time on a path that an agent makes up.
 */
export function compilePattern(
  base: string,
  pattern: string,
  { ignoreCase, withBelow }: PatternOptions,
): (path: string) => boolean {
  for (const [syntax, name] of UNSUPPORTED) {
    if (syntax.test(pattern)) throw new PatternError(`${name} is not supported`);
  }
  const fold = (text: string): string => (ignoreCase ? text.toLowerCase() : text);
  const alternatives = expandBraces(pattern).map((alternative): readonly Segment[] => {
    const tail: readonly Segment[] = withBelow || alternative.endsWith("/") ? ["**"] : [];
    return [...segmentsOf(base, fold), ...wildcardsOf(alternative, fold), ...tail];
  });
  const compiled = alternatives.map(withoutDots);
  return (path) => {
    const names = segmentsOf(path, fold).map(({ literal }) => literal);
    return compiled.some((segments) => matchesAll(segments, names));
  };
}

/** A name, a name with wildcards, or any number of names. */
type Segment = { readonly literal: string } | { readonly wildcard: string } | "**";

function segmentsOf(path: string, fold: (text: string) => string): { literal: string }[] {
  const names = path.replaceAll("\\", "/").split("/");
  return names.filter((name) => name !== "").map((name) => ({ literal: fold(name) }));
}

function wildcardsOf(pattern: string, fold: (text: string) => string): Segment[] {
  const names = pattern.split("/").filter((name) => name !== "" && name !== ".");
  return names.map((name) => {
    if (name === "**") return name;
    if (name.includes("**")) throw new PatternError(`** must stand alone between slashes`);
    return /[*?]/.test(name) ? { wildcard: fold(name) } : { literal: fold(name) };
  });
}

/** Resolves `..` after a plain name. */
function withoutDots(segments: readonly Segment[]): readonly Segment[] {
  const kept: Segment[] = [];
  for (const segment of segments) {
    if (segment === "**" || !("literal" in segment) || segment.literal !== "..") {
      kept.push(segment);
      continue;
    }
    const parent = kept.pop();
    if (parent !== undefined && (parent === "**" || !("literal" in parent))) {
      throw new PatternError(".. after a wildcard is not supported");
    }
  }
  return kept;
}

function expandBraces(pattern: string): readonly string[] {
  const open = pattern.indexOf("{");
  if (open === -1) {
    if (pattern.includes("}")) throw new PatternError("} without { is not supported");
    return [pattern];
  }
  const close = pattern.indexOf("}", open);
  const inner = pattern.slice(open + 1, close);
  if (close === -1 || inner.includes("{")) {
    throw new PatternError("{...} must be closed and must not contain another one");
  }
  const rest = expandBraces(pattern.slice(close + 1));
  const expanded = inner
    .split(",")
    .flatMap((choice) => rest.map((end) => pattern.slice(0, open) + choice + end));
  if (expanded.length > MAX_ALTERNATIVES) {
    throw new PatternError(`more than ${MAX_ALTERNATIVES} alternatives are not supported`);
  }
  return expanded;
}

function matchesAll(segments: readonly Segment[], names: readonly string[]): boolean {
  return matchesGreedily(
    segments,
    names,
    (segment) => segment === "**",
    (segment, name) => segment !== "**" && matchesName(segment, name),
  );
}

function matchesName(segment: Exclude<Segment, "**">, name: string): boolean {
  if ("literal" in segment) return segment.literal === name;
  return matchesGreedily(
    Array.from(segment.wildcard),
    Array.from(name),
    (character) => character === "*",
    (character, other) => character === "?" || character === other,
  );
}

/**
 * Matches items against a pattern in which a star stands for any number of them. Only the last star
 * ever has to take more items, so nothing is tried twice for an earlier one.
 */
function matchesGreedily<P, I>(
  pattern: readonly P[],
  items: readonly I[],
  isStar: (part: P) => boolean,
  fits: (part: P, item: I) => boolean,
): boolean {
  let at = 0;
  let star = -1;
  let starItem = 0;
  for (let item = 0; item < items.length;) {
    const part = pattern[at];
    const current = items[item];
    if (part !== undefined && isStar(part)) {
      star = at++;
      starItem = item;
    } else if (part !== undefined && current !== undefined && fits(part, current)) {
      at++;
      item++;
    } else if (star !== -1) {
      at = star + 1;
      item = ++starItem;
    } else return false;
  }
  return pattern.slice(at).every(isStar);
}
