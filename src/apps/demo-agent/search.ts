import { readdir, readFile, stat } from "node:fs/promises";
import { extname, join } from "node:path";

/** Words that do not reveal what a question is about. */
const COMMON = new Set(
  (
    "a about all also an and any are as at be by can code could do does done for from get give has have how i in " +
    "into is it its just know like list look make me my of on one or our out please project repo repository " +
    "see show tell that the their them then there these they thing this those to up us use used uses " +
    "want was we were what when where which who why will with would you your explain describe find search " +
    "file files folder workspace overview summary summarise summarize work works working"
  ).split(" "),
);
const WHOLE_PROJECT =
  /\b(project|repo|repository|workspace|codebase|folder|overview|summar\w+|readme|about)\b/i;
const MAX_WORDS = 8;
const MIN_STEM_CHARS = 4;

/** The words of a prompt to search for, longest first. Without any, the prompt is about the project. */
export function searchQuery(prompt: string): {
  readonly words: readonly string[];
  readonly aboutProject: boolean;
} {
  const found = prompt.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [];
  const words = [...new Set(found.filter((word) => !COMMON.has(word)).map(stem))]
    .toSorted((a, b) => b.length - a.length)
    .slice(0, MAX_WORDS);
  return { words, aboutProject: words.length === 0 || WHOLE_PROJECT.test(prompt) };
}

/** A rough English stem, so that "detected" finds `detect.ts`. */
function stem(word: string): string {
  const cut = word.replace(/(?:ing|ed|ers?|es|s)$/, "");
  return cut.length >= MIN_STEM_CHARS ? cut : word;
}

export interface SearchHit {
  readonly path: string;
  /** Relative to the root, with forward slashes. */
  readonly name: string;
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
  readonly score: number;
}

export interface SearchResult {
  /** The best hit first. */
  readonly hits: readonly SearchHit[];
  readonly filesRead: number;
  readonly filesMatched: number;
  readonly linesMatched: number;
  /** The number of files with each extension. */
  readonly kinds: ReadonlyMap<string, number>;
  /** Whether the limits stopped the search before it had seen every file. */
  readonly cut: boolean;
}

interface SearchLimits {
  readonly files: number;
  readonly ms: number;
}

const MAX_HITS_PER_FILE = 3;

export async function search(
  root: string,
  words: readonly string[],
  maxHits: number,
  signal: AbortSignal,
  limits: SearchLimits = { files: 20_000, ms: 4000 },
): Promise<SearchResult> {
  const deadline = performance.now() + limits.ms;
  const kinds = new Map<string, number>();
  const result = { filesRead: 0, filesMatched: 0, linesMatched: 0, kinds, cut: false };
  let hits: SearchHit[] = [];
  for await (const name of textFiles(root, signal)) {
    result.cut = result.filesRead >= limits.files || performance.now() > deadline;
    if (result.cut) break;
    if (name === undefined) continue;
    const kind = /\.(\w{1,8})$/.exec(name)?.[1] ?? "other";
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    result.filesRead++;
    if (words.length === 0) continue;
    const path = join(root, name);
    const found = matchLines((await readText(path)) ?? "", words, name);
    if (found.length === 0) continue;
    result.filesMatched++;
    result.linesMatched += found.length;
    const best = found.toSorted(byScore).slice(0, MAX_HITS_PER_FILE);
    hits.push(...best.map((match) => ({ ...match, path, name })));
    if (hits.length > maxHits * 20) hits = hits.toSorted(byScore).slice(0, maxHits);
  }
  return { ...result, hits: hits.toSorted(byScore).slice(0, maxHits) };
}

const MAX_LINE_CHARS = 2000;
const MAX_SHOWN_CHARS = 160;
const PROMINENT =
  /^\s*(?:#{1,6}|(?:export\s|pub\s|public\s|async\s)*(?:function|class|interface|type|const|def|fn|struct|enum|trait|impl|func|module))\s/;

/**
 * The lines that contain any of the words. Whole words count twice; declarations, headings, and files
 * near the top with many of the words, or one in their name, come first.
 */
function matchLines(text: string, words: readonly string[], name: string) {
  const has = (line: string) => (word: string) => line.toLowerCase().includes(word);
  const present = words.filter(has(text));
  if (present.length === 0) return [];
  const fileScore =
    present.length + words.filter(has(name)).length * 2 - (name.split("/").length - 1) / 4;
  return text.split("\n").flatMap((line, index) => {
    const inLine = line.length > MAX_LINE_CHARS ? [] : present.filter(has(line));
    if (inLine.length === 0) return [];
    const whole = inLine.filter((word) =>
      new RegExp(`(?<![\\p{L}\\p{N}])${word}(?![\\p{L}\\p{N}])`, "iu").test(line),
    );
    const score = (inLine.length + whole.length) * 2 + (PROMINENT.test(line) ? 2 : 0) + fileScore;
    return [{ line: index + 1, text: line.trim().slice(0, MAX_SHOWN_CHARS), score }];
  });
}

function byScore(a: { score: number }, b: { score: number }): number {
  return b.score - a.score;
}

const MAX_FILE_BYTES = 512 * 1024;

/** The text of a file; undefined if it is too large, binary or unreadable. */
export async function readText(path: string): Promise<string | undefined> {
  try {
    if ((await stat(path)).size > MAX_FILE_BYTES) return undefined;
    const text = await readFile(path, "utf8");
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Generated and third-party files. In a git worktree, `.git` is a file. */
const SKIPPED = new Set(
  (
    ".git .hg .svn node_modules __pycache__ .venv target " +
    "package-lock.json yarn.lock pnpm-lock.yaml Cargo.lock"
  ).split(" "),
);
const BINARY = new Set(
  (
    "png jpg jpeg gif webp ico bmp pdf zip gz tgz xz bz2 7z jar class so dll dylib exe bin o a wasm " +
    "woff woff2 ttf otf mp3 mp4 mov avi wav ogg sqlite db pyc map"
  ).split(" "),
);

/**
 * The names of the text files below a folder, those near the top first, and undefined after each
 * folder. It does not follow links.
 */
async function* textFiles(
  root: string,
  signal: AbortSignal,
): AsyncGenerator<string | undefined, void, void> {
  const folders: { readonly prefix: string; readonly rules: readonly IgnoreRule[] }[] = [
    { prefix: "", rules: [] },
  ];
  for (const { prefix, rules: outer } of folders) {
    signal.throwIfAborted();
    const entries = await readdir(join(root, prefix), { withFileTypes: true }).catch(() => []);
    const own = await readText(join(root, prefix, ".gitignore"));
    const rules = own === undefined ? outer : [...outer, ...parseIgnore(own, prefix)];
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = `${prefix}${entry.name}${entry.isDirectory() ? "/" : ""}`;
      const rule = rules.findLast(({ pattern }) => pattern.test(name));
      if (SKIPPED.has(entry.name) || rule?.negated === false) continue;
      if (entry.isDirectory()) folders.push({ prefix: name, rules });
      else if (entry.isFile() && !BINARY.has(extname(name).slice(1).toLowerCase())) yield name;
    }
    yield undefined;
  }
}

/** The last rule that matches a name decides. The names of folders end with a slash. */
interface IgnoreRule {
  readonly pattern: RegExp;
  readonly negated: boolean;
}

/** Parses the `.gitignore` of a folder. Bracket expressions and very long patterns are left out. */
function parseIgnore(text: string, prefix: string): IgnoreRule[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [, not, glob, folder] = /^(!?)([^#].{0,199}?)(\/?)\s*$/.exec(line) ?? [];
    if (glob === undefined || glob === "/") return [];
    const within = glob.includes("/") ? "" : "(?:.*/)?";
    const path = `${toPattern(prefix)}${within}${toPattern(glob.replace(/^\//, ""))}`;
    return [
      { pattern: new RegExp(`^${path}${folder === "" ? "/?" : "/"}$`), negated: not === "!" },
    ];
  });
}

function toPattern(glob: string): string {
  const parts = /(?<=^|\/)(\*\*\/|\*+(?=\/|$))|\*+|\?|[.+^${}()|[\]\\]/g;
  return glob.replace(parts, (part, segment?: string) => {
    if (segment !== undefined) return segment === "**/" ? "(?:[^/]+/)*" : "[^/]+";
    if (part === "?") return "[^/]";
    return part.startsWith("*") ? "[^/]*" : `\\${part}`;
  });
}
