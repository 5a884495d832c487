import { once } from "node:events";
import type { Writable } from "node:stream";

/** How much output may wait to be written before its cause has to wait too. */
export const MAX_WAITING = 1024 * 1024;

/** Whether so much waits to be written to a stream that its cause should wait. */
export function isOverloaded(stream: Writable): boolean {
  return stream.writableLength > MAX_WAITING;
}

/** Resolves when the stream has written everything, has failed or is closed. Never rejects. */
export async function nextDrain(stream: Writable): Promise<void> {
  const waiting = new AbortController();
  const { signal } = waiting;
  await Promise.race([once(stream, "drain", { signal }), once(stream, "close", { signal })]).catch(
    () => {},
  );
  // Without this, every wait would leave a listener behind.
  waiting.abort();
}
