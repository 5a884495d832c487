import { toError } from "../wire/index.ts";

/** The JSON value in a text, or why there is none. */
export type ExtractedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly fault: string };

const FENCED = /```[a-z]*\s*\n([\s\S]*?)\n\s*```/gi;

/**
 * Finds the JSON value in an answer: the whole text, or else its last fenced block, or else the part
 * from the first to the last brace or bracket. Pure.
 */
export function extractJson(text: string): ExtractedJson {
  const whole = text.trim();
  const first = parse(whole);
  if (first.ok) return first;
  const fenced = [...whole.matchAll(FENCED)].at(-1)?.[1];
  for (const candidate of [fenced, between(whole, "{", "}"), between(whole, "[", "]")]) {
    if (candidate === undefined) continue;
    const found = parse(candidate);
    if (found.ok) return found;
  }
  return first;
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
    return { ok: true, value };
  } catch (error) {
    return { ok: false, fault: `the answer is not valid JSON: ${toError(error).message}` };
  }
}
