import { readText, walk, type WalkLimits } from "./walk.ts";

/** A line that matches. */
export interface SearchHit {
  readonly path: string;
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

const MAX_HITS_PER_FILE = 3;
const MAX_LINE_CHARS = 2000;
const MAX_SHOWN_CHARS = 160;

export const SEARCH_LIMITS = { files: 20_000, bytesPerFile: 512 * 1024 };
export const SEARCH_MS = 4000;

/** Searches the text files of a folder for words, within limits of count, size and time. */
export async function search(
  root: string,
  words: readonly string[],
  maxHits: number,
  signal: AbortSignal,
  limits: WalkLimits = { ...SEARCH_LIMITS, deadline: performance.now() + SEARCH_MS },
): Promise<SearchResult> {
  const kinds = new Map<string, number>();
  let hits: SearchHit[] = [];
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
    const best = found.toSorted(byScore).slice(0, MAX_HITS_PER_FILE);
    hits.push(...best.map((match) => ({ ...match, path: file.path, name: file.name })));
    if (hits.length > maxHits * 20) hits = hits.toSorted(byScore).slice(0, maxHits);
  }
  return {
    hits: hits.toSorted(byScore).slice(0, maxHits),
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
 * Finds the lines that contain any of the words. A line scores for each word it contains, twice for
 * whole words, more if it is a declaration or heading, and more in files that contain many of the
 * words or have one in their name. Pure.
 */
export function matchLines(text: string, words: readonly string[], name: string): LineMatch[] {
  const lower = text.toLowerCase();
  const present = words.filter((word) => lower.includes(word));
  if (present.length === 0) return [];
  const fileName = name.toLowerCase();
  const fileScore =
    present.length +
    words.filter((word) => fileName.includes(word)).length * 2 -
    depthOf(name) * 0.25;
  const matches: LineMatch[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.length > MAX_LINE_CHARS) continue;
    const low = line.toLowerCase();
    let score = 0;
    for (const word of present) if (low.includes(word)) score += isWhole(low, word) ? 2 : 1;
    if (score === 0) continue;
    const text = line.trim().slice(0, MAX_SHOWN_CHARS);
    matches.push({ line: index + 1, text, score: score * 2 + emphasis(line) + fileScore });
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
