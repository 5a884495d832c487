import { readText, walk, type WalkLimits } from "./walk.ts";

/** A line that answers. */
export interface SearchHit {
  readonly path: string;
  readonly name: string;
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
  readonly score: number;
}

export interface SearchResult {
  /** The best first. */
  readonly places: readonly SearchHit[];
  readonly filesRead: number;
  readonly filesMatched: number;
  readonly linesMatched: number;
  /** How many files there are of each extension. */
  readonly kinds: ReadonlyMap<string, number>;
  /** Whether the limits ended the search before the files did. */
  readonly cut: boolean;
}

const PLACES_PER_FILE = 3;
const LONGEST_LINE = 2000;
const SHOWN_CHARS = 160;

export const SEARCH_LIMITS = { files: 20_000, bytesPerFile: 512 * 1024 };
export const SEARCH_MS = 4000;

/** Looks for words in the text files of a folder, within limits of count, size and time. */
export async function search(
  root: string,
  words: readonly string[],
  most: number,
  signal: AbortSignal,
  limits: WalkLimits = { ...SEARCH_LIMITS, deadline: performance.now() + SEARCH_MS },
): Promise<SearchResult> {
  const kinds = new Map<string, number>();
  let places: SearchHit[] = [];
  let filesRead = 0;
  let filesMatched = 0;
  let linesMatched = 0;
  for await (const file of walk(root, limits, signal)) {
    const kind = /\.(\w{1,8})$/.exec(file.name)?.[1] ?? "other";
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    filesRead++;
    if (words.length === 0) continue;
    const text = await readText(file.path, limits.bytesPerFile);
    if (text === undefined) continue;
    const found = matchLines(text, words, file.name);
    if (found.length === 0) continue;
    filesMatched++;
    linesMatched += found.length;
    const best = found.toSorted(byScore).slice(0, PLACES_PER_FILE);
    places.push(...best.map((match) => ({ ...match, path: file.path, name: file.name })));
    if (places.length > most * 20) places = places.toSorted(byScore).slice(0, most);
  }
  return {
    places: places.toSorted(byScore).slice(0, most),
    filesRead,
    filesMatched,
    linesMatched,
    kinds,
    cut: filesRead >= limits.files || performance.now() > limits.deadline,
  };
}

interface LineMatch {
  readonly line: number;
  readonly text: string;
  readonly score: number;
}

/**
 * The lines that have any of the words. A line counts for each word it has, twice for whole words,
 * more where it declares or heads something, and more in files that have many of the words or are
 * named by one. Pure.
 */
export function matchLines(text: string, words: readonly string[], name: string): LineMatch[] {
  const lower = text.toLowerCase();
  const present = words.filter((word) => lower.includes(word));
  if (present.length === 0) return [];
  const fileName = name.toLowerCase();
  const ofFile =
    present.length +
    words.filter((word) => fileName.includes(word)).length * 2 -
    depthOf(name) * 0.25;
  const matches: LineMatch[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.length > LONGEST_LINE) continue;
    const low = line.toLowerCase();
    let score = 0;
    for (const word of present) if (low.includes(word)) score += isWhole(low, word) ? 2 : 1;
    if (score === 0) continue;
    const text = line.trim().slice(0, SHOWN_CHARS);
    matches.push({ line: index + 1, text, score: score * 2 + emphasis(line) + ofFile });
  }
  return matches;
}

function byScore(a: { score: number }, b: { score: number }): number {
  return b.score - a.score;
}

function depthOf(name: string): number {
  return name.split("/").length - 1;
}

const LETTER = /[\p{L}\p{N}]/u;

function isWhole(line: string, word: string): boolean {
  const at = line.indexOf(word);
  return !LETTER.test(line[at - 1] ?? " ") && !LETTER.test(line[at + word.length] ?? " ");
}

const HEADING = /^\s*#{1,6}\s/;
const DECLARATION =
  /^\s*(?:export\s|pub\s|public\s|async\s)*(?:function|class|interface|type|const|def|fn|struct|enum|trait|impl|func|module)\s/;

function emphasis(line: string): number {
  return HEADING.test(line) || DECLARATION.test(line) ? 2 : 0;
}
