import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { openPrivate, recorder, type Tap } from "../../wire/index.ts";
import { isOverloaded, nextDrain } from "../backpressure.ts";
import { usageError } from "../exit.ts";
import { messageOf } from "../io.ts";
import type { Context } from "../run/context.ts";
import type { PacedOutput } from "./paced-channel.ts";
import type { Secrets } from "./secrets.ts";

/** An open file for `--record`. */
export interface RecordingFile extends PacedOutput {
  write(text: string): void;
  end(): Promise<void>;
}

/** Only the user may enter the folder. */
const FOLDER_MODE = 0o700;

/** The path of the folder of `--record-dir`, which is created if it is missing. Throws a usage error. */
export async function recordFolder(folder: string, cwd: string): Promise<string> {
  const path = resolve(cwd, folder);
  await mkdir(path, { recursive: true, mode: FOLDER_MODE }).catch((error: unknown) => {
    throw usageError(`could not create --record-dir ${folder}: ${messageOf(error)}`);
  });
  return path;
}

/** Opens the file of `--record` before the agent starts. Throws a usage error if that fails. */
export async function openRecording(
  file: string | undefined,
  cwd: string,
  option = "--record",
): Promise<RecordingFile | undefined> {
  if (file === undefined) return undefined;
  const handle = await openPrivate(resolve(cwd, file), "replace").catch((error: unknown) => {
    throw usageError(`could not write ${option} ${file}: ${messageOf(error)}`);
  });
  const stream = handle.createWriteStream();
  // If the disk fills up later, the recording ends but the conversation goes on.
  stream.on("error", () => {});
  return {
    get isOverloaded() {
      return !stream.destroyed && isOverloaded(stream);
    },
    relieved: async () => {
      if (!stream.destroyed && stream.writableNeedDrain) await nextDrain(stream);
    },
    write: (text) => void stream.write(text),
    end: async () => {
      if (stream.destroyed || stream.writableEnded) return;
      stream.end();
      await once(stream, "close").catch(() => {});
    },
  };
}

/** The tap on all protocol messages, for the raw frames of jsonl and the recording without secrets. */
export function tapOf(
  { frames }: Context,
  recording: RecordingFile | undefined,
  secrets: Secrets,
): Tap | undefined {
  const taps: Tap[] = [];
  if (frames !== undefined) taps.push((event) => frames.frame(event));
  if (recording !== undefined) {
    taps.push(recorder((text) => recording.write(text), { secrets: secrets.values }));
  }
  if (taps.length === 0) return undefined;
  return (event) => {
    for (const tap of taps) tap(event);
  };
}
