import type { FrameTable } from "../../../../trace/index.ts";
import type { TimeScale } from "./scale.ts";

/** Counts frames by column. Only rows that `passes` accepts count. */
export function densityOf(
  frames: FrameTable,
  scale: TimeScale,
  view: readonly [from: number, to: number],
  width: number,
  passes: (row: number) => boolean,
) {
  const columns = Math.max(1, Math.floor(width));
  const fromAgent = new Uint32Array(columns);
  const fromClient = new Uint32Array(columns);
  const [from, to] = view;
  const endMs = scale.msAt(to);
  const factor = columns / (to - from);
  let most = 0;
  for (let row = firstAt(frames, scale.msAt(from)); row < frames.count; row++) {
    const ms = frames.ms(row);
    if (ms > endMs) break;
    if (!passes(row)) continue;
    const column = Math.min(columns - 1, Math.max(0, Math.floor((scale.at(ms) - from) * factor)));
    const side = frames.direction(row) === "in" ? fromAgent : fromClient;
    const sum = (side[column] ?? 0) + 1;
    side[column] = sum;
    if (sum > most) most = sum;
  }
  return { fromAgent, fromClient, most };
}

/** The first row at or after a time. Times never go back. */
function firstAt(frames: FrameTable, ms: number): number {
  let [low, high] = [0, frames.count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (frames.ms(middle) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}
