import type { SessionModel } from "../../../trace/index.ts";

/** Figures about all frames. */
export interface TrafficNumbers {
  readonly frames: number;
  readonly bytes: number;
  readonly fromAgent: { readonly frames: number; readonly bytes: number };
  readonly fromClient: { readonly frames: number; readonly bytes: number };
  /** The largest frame; -1 if there is none. */
  readonly largest: number;
  /** The most frames within one second, and the first of them; -1 if there is none. Needs times. */
  readonly peak: { readonly frames: number; readonly row: number };
  readonly durationMs: number;
}

/** Adds up all frames. */
export function trafficNumbers({ frames, lastMs }: SessionModel): TrafficNumbers {
  const fromAgent = { frames: 0, bytes: 0 };
  const fromClient = { frames: 0, bytes: 0 };
  let largest = -1;
  let peak = { frames: 0, row: -1 };
  let first = 0;
  for (let row = 0; row < frames.count; row++) {
    const side = frames.direction(row) === "in" ? fromAgent : fromClient;
    side.frames++;
    side.bytes += frames.size(row);
    if (largest < 0 || frames.size(row) > frames.size(largest)) largest = row;
    while (frames.ms(first) <= frames.ms(row) - 1000) first++;
    if (row - first + 1 > peak.frames) peak = { frames: row - first + 1, row: first };
  }
  return {
    frames: frames.count,
    bytes: frames.lines.bytes,
    fromAgent,
    fromClient,
    largest,
    peak,
    durationMs: lastMs,
  };
}
