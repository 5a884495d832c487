import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type CheckReport, RecordingCheck } from "../../../../conformance/check/index.ts";
import {
  type ImportLoss,
  type SessionEntry,
  SessionFormatError,
  SessionReader,
} from "../../../../trace/index.ts";
import { counted, hasCode, messageOf } from "../../../../base/index.ts";
import { LineTooLongError } from "../../../../transport/wire/index.ts";
import { usageError } from "../../shell/exit.ts";
import { MIB, readGivenFileChunks } from "../../shell/regular-file.ts";
import type { Context } from "../../context/context.ts";
import type { CheckChoice } from "./options.ts";

/** One recording is held in memory as a whole. */
const MAX_BYTES = 256 * MIB;

/**
 * Judges the recordings in a folder and the folders below it, and captures of other programs. Files that are
 * neither are named in a note. Throws a usage error if there is no recording.
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
  let elsewhere = 0;
  for (const name of await recordingsIn(resolve(io.cwd, folder), folder)) {
    signal.throwIfAborted();
    const found = await readSession(join(resolve(io.cwd, folder), name), name);
    if (typeof found === "string") {
      renderer.note(`${name} is left out: ${found}`);
      continue;
    }
    const losses = lossesText(found.losses);
    if (losses !== "") renderer.note(`${name}: ${losses}`);
    const { judged, others } = check.add(found.entries);
    const other = protocol === 1 ? 2 : 1;
    if (others > 0)
      renderer.note(`${name}: ${counted(others, "connection")} of ACP v${other} left out`);
    if (judged > 0 || others === 0) count++;
    else elsewhere++;
  }
  if (count === 0 && elsewhere > 0)
    throw usageError(
      `--recordings ${folder} has only recordings of another version of ACP`,
      `--protocol ${protocol === 1 ? 2 : 1}`,
    );
  if (count === 0) throw usageError(`--recordings ${folder} has no recordings`);
  return check.report(io.now() - started);
}

/** The endings of recordings, and of captures of other programs. */
const ENDINGS = /\.(?:jsonl|json|jsons|traffic)$/;

async function recordingsIn(path: string, folder: string): Promise<readonly string[]> {
  try {
    const names = await readdir(path, { recursive: true });
    return names.filter((name) => ENDINGS.test(name)).toSorted();
  } catch (error) {
    const why = hasCode(error, "ENOENT") ? "there is no such folder" : messageOf(error);
    throw usageError(`could not read --recordings ${folder}: ${why}`);
  }
}

interface ReadSession {
  readonly entries: readonly SessionEntry[];
  readonly losses: readonly ImportLoss[];
}

/** Reads a recording, or a capture of another program. Resolves with the reason if the file is neither. */
async function readSession(path: string, name: string): Promise<ReadSession | string> {
  const entries: SessionEntry[] = [];
  const reader = new SessionReader({
    header: () => {},
    entry: (entry) => void entries.push(entry),
  });
  try {
    await readGivenFileChunks(path, name, { maxBytes: MAX_BYTES }, (chunk) => reader.push(chunk));
    const losses = reader.end();
    return { entries, losses };
  } catch (error) {
    if (error instanceof SessionFormatError || error instanceof LineTooLongError)
      return error.message;
    throw error;
  }
}

/** Losses that change the frames, so that a rule may see something else than the other side did. */
const OF_FRAMES: readonly ImportLoss["code"][] = [
  "raw",
  "errors",
  "directions",
  "ambiguous",
  "dropped",
  "cut",
  "unreadable",
];

function lossesText(losses: readonly ImportLoss[]): string {
  return losses
    .filter(({ code }) => OF_FRAMES.includes(code))
    .map(({ text }) => text)
    .join("; ");
}
