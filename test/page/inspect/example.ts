// Two recordings, written by hand: a session with everything that the page shows (turns, tools, permissions
// with reasons, a broken rule, stderr, an idle time, usage, text that tries to do harm), and a slightly
// different one to compare it with. `dragoman inspect` opens them.
import { readFileSync } from "node:fs";
import {
  type RecordingEntry,
  type RecordingHeader,
  toRecordingEntry,
} from "../../../src/transport/wire/index.ts";

/** Text of the example that would do something if it were HTML. */
export const EVIL = `<img src=x onerror="window.evil=1"><script>window.evil=1</script>`;

const read = (name: string): string =>
  readFileSync(new URL(`../../transcripts/inspect/${name}.jsonl`, import.meta.url), "utf8");

export const EXAMPLE = read("example");
export const OTHER_EXAMPLE = read("other");

const [header = "", ...lines] = EXAMPLE.trimEnd().split("\n");

export const EXAMPLE_HEADER: RecordingHeader = JSON.parse(header);
export const EXAMPLE_ENTRIES: readonly RecordingEntry[] = lines.map((line) =>
  toRecordingEntry(JSON.parse(line), 0),
);
