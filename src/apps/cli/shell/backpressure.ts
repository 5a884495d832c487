import { once } from "node:events";
import type { Writable } from "node:stream";
import { quietly } from "../../../base/index.ts";
import type { Channel } from "../../../transport/wire/index.ts";

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

/** An output that the agent's messages fill. */
export interface PacedOutput {
  /** Whether so much waits to be written that the agent should not cause more. */
  readonly isOverloaded: boolean;
  /** Resolves when the output is not overloaded anymore. Never rejects. */
  relieved(): Promise<void>;
}

/** An open file for `--record`, or a session of a page in its place. */
export interface RecordingFile extends PacedOutput {
  /** Whether secrets stay in it. Default: false. */
  readonly keepSecrets?: boolean;
  write(text: string): void;
  end(): Promise<void>;
}

/**
 * A channel that is not read while one of these outputs is overloaded. The reader of a turn waits for
 * stdout by itself, but requests, frames and lines that are not messages cause output too.
 */
export function withBackpressure(channel: Channel, outputs: readonly PacedOutput[]): Channel {
  let isPaused = false;
  let isWaiting = false;
  const waitForOutputs = async (): Promise<void> => {
    isWaiting = true;
    channel.pause();
    for (const output of outputs) await output.relieved();
    isWaiting = false;
    if (!isPaused) channel.resume();
  };
  return {
    closed: channel.closed,
    open: (receive) =>
      channel.open((line) => {
        receive(line);
        if (!isWaiting && outputs.some(({ isOverloaded: isFull }) => isFull))
          void quietly(waitForOutputs);
      }),
    send: (line) => channel.send(line),
    pause: () => {
      isPaused = true;
      channel.pause();
    },
    resume: () => {
      isPaused = false;
      if (!isWaiting) channel.resume();
    },
    close: () => channel.close(),
  };
}
