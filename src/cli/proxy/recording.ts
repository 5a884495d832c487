import { join } from "node:path";
import { type Channel, recorder, tapped } from "../../wire/index.ts";
import { openRecording, recordFolder, type RecordingFile } from "../connect/recording.ts";
import type { Secrets } from "../connect/secrets.ts";
import type { Io } from "../io.ts";

/**
 * Opens a file for the recording of this run in the folder of `--record-dir`, which is created if it is
 * missing. Throws a usage error if that fails.
 */
export async function openRunRecording(
  folder: string | undefined,
  { cwd, now }: Pick<Io, "cwd" | "now">,
): Promise<RecordingFile | undefined> {
  if (folder === undefined) return undefined;
  const path = await recordFolder(folder, cwd);
  const time = new Date(now()).toISOString().replaceAll(/[-:]/g, "").replace(/\.\d+/, "");
  return openRecording(join(path, `${time}-${process.pid}.jsonl`), cwd, "--record-dir");
}

/**
 * Records the lines of a client's channel. The directions are those that the client sees, as in every other
 * recording, so that `dragoman replay` can play the agent's part.
 */
export function recordedClient(
  channel: Channel,
  recording: RecordingFile,
  secrets: Secrets,
): Channel {
  const record = recorder((text) => recording.write(text), { secrets: secrets.values });
  return tapped(channel, ({ at, direction, line }) =>
    record({ at, direction: direction === "in" ? "out" : "in", line }),
  );
}
