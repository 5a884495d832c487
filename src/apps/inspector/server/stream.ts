import { once } from "node:events";
import type { Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { unlessAborted } from "../../../base/index.ts";
import type { RecordingLog } from "./recording-log.ts";

/** Lines that come within this time are sent together, which costs the least for both sides. */
const BATCH_MS = 16;

/**
 * Sends a recording from an entry on: first the header, then the entries, and those that follow as long as the
 * log is open. A reader that is slow or has stopped only delays itself. Resolves at the end of the log.
 * Rejects if the signal is aborted, and if the log cannot be read.
 */
export async function streamLog(
  log: RecordingLog,
  from: number,
  output: Writable,
  signal: AbortSignal,
): Promise<void> {
  const send = async (bytes: Buffer): Promise<void> => {
    if (!output.write(bytes)) await once(output, "drain", { signal });
  };
  while (log.bytes === 0 && log.isOpen) await unlessAborted(log.changed(), signal);
  let position = 0;
  if (from > 0) {
    const header = await log.read(0);
    await send(header.subarray(0, await log.positionOf(1)));
    position = await log.positionOf(from + 1);
  }
  for (;;) {
    signal.throwIfAborted();
    const isLast = !log.isOpen;
    const bytes = await log.read(position);
    position += bytes.length;
    if (bytes.length > 0) await send(bytes);
    else if (isLast) return;
    else {
      await unlessAborted(log.changed(), signal);
      await pause(BATCH_MS, undefined, { signal });
    }
  }
}
