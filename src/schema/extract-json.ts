import { isDeeperThan, toError } from "../wire/index.ts";

/** The JSON value in a text, or why there is none. */
export type ExtractedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly fault: string };

/** Code that walks or serializes a value recurses. Answers that are meant to be used have a few levels. */
const MAX_DEPTH = 200;

/**
 * Finds the JSON value in an answer: the whole text, or else its last fenced block, or else the part
 * from the first to the last brace or bracket. Pure.
 */
export function extractJson(text: string): ExtractedJson {
  const whole = text.trim();
  const first = parse(whole);
  if (first.ok) return first;
  for (const candidate of [lastFenced(whole), between(whole, "{", "}"), between(whole, "[", "]")]) {
    if (candidate === undefined) continue;
    const found = parse(candidate);
    if (found.ok) return found;
  }
  return first;
}

/** The content of the last fenced block. One pass, because an expression could take forever on an answer. */
function lastFenced(text: string): string | undefined {
  const lines = text.split("\n");
  let start: number | undefined;
  let last: readonly [number, number] | undefined;
  for (const [index, line] of lines.entries()) {
    if (start === undefined) {
      if (opensFence(line)) start = index + 1;
    } else if (line.trimStart().startsWith(FENCE)) {
      last = [start, index];
      start = undefined;
    }
  }
  return last && lines.slice(...last).join("\n");
}

const FENCE = "```";

function opensFence(line: string): boolean {
  const at = line.lastIndexOf(FENCE);
  return at !== -1 && /^[a-z]*$/i.test(line.slice(at + FENCE.length).trimEnd());
}

function between(text: string, open: string, close: string): string | undefined {
  const start = text.indexOf(open);
  const end = text.lastIndexOf(close);
  return start === -1 || end <= start ? undefined : text.slice(start, end + 1);
}

function parse(text: string): ExtractedJson {
  if (text === "") return { ok: false, fault: "the answer is empty" };
  try {
    const value: unknown = JSON.parse(text);
    const isDeep = typeof value === "object" && value !== null && isDeeperThan(value, MAX_DEPTH);
    if (isDeep) return { ok: false, fault: "the answer is nested too deeply" };
    return { ok: true, value };
  } catch (error) {
    return { ok: false, fault: `the answer is not valid JSON: ${toError(error).message}` };
  }
}
