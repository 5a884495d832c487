import { readdirSync, readFileSync } from "node:fs";
import { parseTranscript, type TranscriptEntry } from "./replay.ts";

const folder = new URL("../transcripts/droid/", import.meta.url);

export const transcriptNames = readdirSync(folder)
  .filter((name) => name.endsWith(".jsonl"))
  .map((name) => name.replace(/\.jsonl$/, ""));

export function readTranscript(name: string): TranscriptEntry[] {
  return parseTranscript(readFileSync(new URL(`${name}.jsonl`, folder), "utf8"));
}
