import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type CheckReport, RecordingCheck } from "../../check/index.ts";
import { parseRecording, type RecordedLine, RecordingError } from "../../wire/index.ts";
import { usageError } from "../exit.ts";
import { hasCode, messageOf } from "../io.ts";
import { MIB, readGivenFile } from "../regular-file.ts";
import type { Context } from "../run/context.ts";
import type { CheckChoice } from "./options.ts";

/** One recording is held in memory as a whole. */
const MAX_BYTES = 256 * MIB;

/**
 * Judges the recordings in a folder and the folders below it. Files that are not recordings are named in a
 * note. Throws a usage error if there is no recording.
 */
export async function checkRecordings(
  { io, renderer }: Context,
  folder: string,
  { side, protocol, ids }: CheckChoice,
  signal: AbortSignal,
): Promise<CheckReport> {
  const started = io.now();
  const check = new RecordingCheck({ side, protocol, ids, name: folder });
  let count = 0;
  for (const name of await recordingsIn(resolve(io.cwd, folder), folder)) {
    signal.throwIfAborted();
    const lines = await linesOf(join(resolve(io.cwd, folder), name), name);
    if (typeof lines === "string") renderer.note(`${name} is left out: ${lines}`);
    else {
      check.add(lines);
      count++;
    }
  }
  if (count === 0) throw usageError(`--recordings ${folder} has no recordings`);
  return check.report(io.now() - started);
}

async function recordingsIn(path: string, folder: string): Promise<readonly string[]> {
  try {
    const names = await readdir(path, { recursive: true });
    return names.filter((name) => name.endsWith(".jsonl")).toSorted();
  } catch (error) {
    const why = hasCode(error, "ENOENT") ? "there is no such folder" : messageOf(error);
    throw usageError(`could not read --recordings ${folder}: ${why}`);
  }
}

/** The lines of a recording, or why the file is not one. */
async function linesOf(path: string, name: string): Promise<readonly RecordedLine[] | string> {
  const bytes = await readGivenFile(path, name, { maxBytes: MAX_BYTES });
  try {
    return parseRecording(bytes.toString("utf8")).lines;
  } catch (error) {
    if (error instanceof RecordingError) return error.message;
    throw error;
  }
}
