import type { Channel } from "../channel.ts";
import { callSafely } from "../../../base/index.ts";

/** `in` for lines this side receives, `out` for lines it sends. */
export type Direction = "in" | "out";

/** One line on the wire. */
export interface TapEvent {
  /** Milliseconds since the epoch. It jumps when the clock of the machine is set. */
  readonly at: number;
  /** Milliseconds on a clock that never goes back, from any zero. A recorder prefers it to `at`. */
  readonly monotonic?: number | undefined;
  /** Whether the line was received or sent. */
  readonly direction: Direction;
  /** The line exactly as on the wire, without its newline. */
  readonly line: string;
}

/** Sees every line in both directions. If a tap throws or rejects, the connection is not affected. */
export type Tap = (event: TapEvent) => void;

/** Wraps a channel so that the tap sees each line as it passes. The lines are not changed. */
export function tapped(channel: Channel, tap: Tap): Channel {
  const show = (direction: Direction, line: string): void =>
    callSafely(() => tap({ at: Date.now(), monotonic: performance.now(), direction, line }));
  return {
    closed: channel.closed,
    open: (receive) =>
      channel.open((line) => {
        show("in", line);
        receive(line);
      }),
    send: (line) => {
      show("out", line);
      return channel.send(line);
    },
    pause: () => channel.pause(),
    resume: () => channel.resume(),
    close: () => channel.close(),
  };
}
