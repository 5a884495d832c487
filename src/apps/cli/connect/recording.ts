import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { openPrivate, messageOf } from "../../../base/index.ts";
import {
  type CloseReason,
  describeClose,
  type RecordedClient,
  type Recorder,
  recorder,
  type Tap,
} from "../../../transport/wire/index.ts";
import type { SelectedAgent } from "../agents/select.ts";
import { isOverloaded, nextDrain, type RecordingFile } from "../shell/backpressure.ts";
import { usageError } from "../shell/exit.ts";
import type { Context } from "../context/context.ts";
import type { Secrets } from "./secrets.ts";

const FOLDER_MODE = 0o700;

/** The path of the folder of `--record-dir`, which is created if it is missing. Throws a usage error. */
export async function recordingFolder(folder: string, cwd: string): Promise<string> {
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

/** The facts about the run in the header of a recording, and the secrets that it leaves out. */
export interface RecordedRun {
  readonly agent: SelectedAgent;
  readonly client: RecordedClient | undefined;
  readonly cwd: string;
  readonly secrets: Secrets;
}

/** Creates the recorder of a run, which writes to each of the files. There is at least one. */
export function runRecorder(files: readonly RecordingFile[], run: RecordedRun): Recorder {
  return files.map((file) => fileRecorder(file, run)).reduce(bothRecorders);
}

function fileRecorder(file: RecordingFile, run: RecordedRun): Recorder {
  const { agent, client, cwd, secrets } = run;
  const command = [agent.command, ...agent.args];
  const record = recorder((text) => file.write(text), {
    secrets: secrets.values,
    keepSecrets: file.keepSecrets,
    agent: { name: agent.name, command },
    client,
    cwd,
  });
  return Object.assign((event: Parameters<Tap>[0]) => record(event), {
    ...record,
    stderr: unlessOverloaded(file, record),
  });
}

/** An agent that writes to stderr cannot be made to wait, so text that the disk cannot take is left out. */
function unlessOverloaded(file: RecordingFile, record: Recorder): (text: string) => void {
  let leftOut = 0;
  return (text) => {
    if (file.isOverloaded) {
      leftOut += text.length;
      return;
    }
    if (leftOut > 0) record.note(`${leftOut} characters of stderr were left out`);
    leftOut = 0;
    record.stderr(text);
  };
}

/**
 * Opens the file of `--record` and the page of `--inspect`, before the agent starts, which waits while one of
 * them is overloaded. Throws a usage error if that fails.
 */
export async function openRecordings(
  { values, io, inspector }: Context,
  run: RecordedRun,
): Promise<{ readonly record: Recorder | undefined; readonly files: readonly RecordingFile[] }> {
  const file = await openRecording(values.text("record"), io.cwd);
  const files = [file, inspector?.file(run.agent.name)].filter((one) => one !== undefined);
  return { record: files.length === 0 ? undefined : runRecorder(files, run), files };
}

function bothRecorders(first: Recorder, second: Recorder): Recorder {
  const both =
    <A extends readonly unknown[]>(one: (...args: A) => void, other: (...args: A) => void) =>
    (...args: A): void => {
      one(...args);
      other(...args);
    };
  return Object.assign(both(first, second), {
    stderr: both(first.stderr, second.stderr),
    exit: both(first.exit, second.exit),
    permission: both(first.permission, second.permission),
    note: both(first.note, second.note),
    flush: both(first.flush, second.flush),
  });
}

export function recordClose(record: Recorder, reason: CloseReason): void {
  switch (reason.kind) {
    case "exited":
      return record.exit(reason.exit);
    case "closed":
      return reason.exit ? record.exit(reason.exit) : record.flush();
    case "ended":
    case "failed":
      record.flush();
      record.note(describeClose(reason));
  }
}

/** The tap on all protocol messages, for the raw frames of jsonl and the recording without secrets. */
export function tapOf({ frames }: Context, record: Recorder | undefined): Tap | undefined {
  const taps: Tap[] = [];
  if (frames !== undefined) taps.push((event) => frames.frame(event));
  if (record !== undefined) taps.push(record);
  if (taps.length === 0) return undefined;
  return (event) => {
    for (const tap of taps) tap(event);
  };
}
