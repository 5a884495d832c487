import { resolve } from "node:path";
import {
  nodeStreamChannel,
  parseRecording,
  type Recording,
  sanitiseJson,
} from "../../wire/index.ts";
import type { ParsedCommandLine } from "../args/parse.ts";
import { timeOption } from "../args/values.ts";
import { EXIT, usageError, type ExitCode } from "../exit.ts";
import { messageOf, type Io } from "../io.ts";
import { MIB, readGivenFile } from "../regular-file.ts";
import { Player } from "../replay/player.ts";
import { stepsOf } from "../replay/steps.ts";

/** The default limit for each message expected from the client. */
const STEP_MS = 30_000;

/** Recordings of long sessions are large, but they are held in memory as a whole. */
const MAX_BYTES = 256 * MIB;

/** `dragoman replay FILE`: acts as an agent on stdin and stdout that plays back a recording. */
export async function replayCommand(
  { values, words }: ParsedCommandLine,
  io: Io,
): Promise<ExitCode> {
  const [file, ...more] = words;
  if (file === undefined || more.length > 0)
    throw usageError("replay needs exactly one recording", "dragoman replay FILE");
  const stepMs = timeOption(values, "step-timeout") ?? STEP_MS;
  const recording = await read(resolve(io.cwd, file), file);
  const channel = nodeStreamChannel(io.stdin, io.stdout.stream);
  const player = new Player(channel, stepsOf(recording.lines), {
    stepMs,
    realtime: values.flag("realtime"),
    encode: io.stdout.isTty ? sanitiseJson : undefined,
  });
  try {
    await player.play();
    return EXIT.done;
  } finally {
    await channel.close();
  }
}

async function read(path: string, name: string): Promise<Recording> {
  const bytes = await readGivenFile(path, name, { maxBytes: MAX_BYTES });
  try {
    return parseRecording(bytes.toString("utf8"));
  } catch (error) {
    throw usageError(`${name}: ${messageOf(error)}`);
  }
}
