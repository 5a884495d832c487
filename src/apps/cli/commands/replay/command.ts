import { REPLAY_OPTIONS } from "./declaration.ts";
import { resolve } from "node:path";
import { sanitizeJson, messageOf, sanitizeLine } from "../../../../base/index.ts";
import {
  isRecordedLine,
  nodeStreamChannel,
  type RecordedLine,
  RecordingReader,
} from "../../../../transport/wire/index.ts";
import type { ParsedCommandLine } from "../../shell/parse.ts";
import { timeOption } from "../../shell/option-values.ts";
import { CliError, EXIT, usageError, type ExitCode } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import { MIB, readGivenFileChunks } from "../../shell/regular-file.ts";
import { Player, stepsOf } from "./player.ts";

/** The default limit for each message expected from the client. */
const STEP_MS = 30_000;

/** The lines of a recording are held in memory. */
const MAX_BYTES = 256 * MIB;

/** `dragoman replay FILE`: acts as an agent on stdin and stdout that plays back a recording. */
export async function run({ values, words }: ParsedCommandLine, io: Io): Promise<ExitCode> {
  const [file, ...more] = words;
  if (file === undefined || more.length > 0)
    throw usageError("replay needs exactly one recording", "dragoman replay FILE");
  const stepMs = timeOption(values.with(REPLAY_OPTIONS), "step-timeout") ?? STEP_MS;
  const { lines, cut } = await read(resolve(io.cwd, file), file);
  if (cut) {
    const where = `line ${cut.line} of ${sanitizeLine(file)}`;
    io.stderr.stream.write(`dragoman: ${where} was cut off and is not played\n`);
  }
  const channel = nodeStreamChannel(io.stdin, io.stdout.stream);
  const player = new Player(channel, stepsOf(lines), {
    stepMs,
    realtime: values.with(REPLAY_OPTIONS).flag("realtime"),
    encode: io.stdout.isTty ? sanitizeJson : undefined,
  });
  try {
    await player.play();
    return EXIT.done;
  } finally {
    await channel.close();
  }
}

/** Reads the lines of a recording. Skips events, including those from newer versions. */
async function read(path: string, name: string) {
  const lines: RecordedLine[] = [];
  const reader = new RecordingReader({
    header: () => {},
    entry: (entry) => {
      if (isRecordedLine(entry)) lines.push(entry);
    },
  });
  try {
    await readGivenFileChunks(path, name, { maxBytes: MAX_BYTES }, (chunk) => reader.push(chunk));
    return { lines, cut: reader.end() };
  } catch (error) {
    throw error instanceof CliError ? error : usageError(`${name}: ${messageOf(error)}`);
  }
}
