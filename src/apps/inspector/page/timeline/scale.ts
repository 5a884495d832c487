import type { IdleGap } from "../../../../trace/index.ts";

/** A share of the active time that each idle time takes when it is folded. */
const GAP_SHARE = 1 / 30;

/** A scale between milliseconds and places on a timeline, on which idle times are short. */
export type TimeScale = ReturnType<typeof timeScale>;

/** Builds the scale of a stretch of time. Without gaps, a place is the time since its start. */
export function timeScale(fromMs: number, toMs: number, gaps: readonly IdleGap[]) {
  const inside = gaps.filter((gap) => gap.fromMs >= fromMs && gap.toMs <= toMs);
  const idle = inside.reduce((sum, gap) => sum + gap.toMs - gap.fromMs, 0);
  const active = Math.max(toMs - fromMs - idle, 1);
  const short = active * GAP_SHARE;
  // Breaks of the scale: a time and its place. Between two of them it is straight.
  const times = [fromMs];
  const places = [0];
  const folds: { from: number; to: number; ms: number }[] = [];
  for (const gap of inside) {
    const from = (places.at(-1) ?? 0) + gap.fromMs - (times.at(-1) ?? 0);
    const to = from + Math.min(short, gap.toMs - gap.fromMs);
    times.push(gap.fromMs, gap.toMs);
    places.push(from, to);
    folds.push({ from, to, ms: gap.toMs - gap.fromMs });
  }
  const length = Math.max((places.at(-1) ?? 0) + toMs - (times.at(-1) ?? 0), 1);
  times.push(Math.max(toMs, (times.at(-1) ?? 0) + 1e-6));
  places.push(length);
  return {
    length,
    /** The idle times that are folded: their places, and how long they are. */
    folds,
    at: (ms: number) => between(times, places, ms),
    msAt: (place: number) => between(places, times, place),
  };
}

function between(from: readonly number[], to: readonly number[], value: number): number {
  let [low, high] = [0, from.length - 2];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((from[middle] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  const [a, b] = [from[low] ?? 0, from[low + 1] ?? 1];
  const [c, d] = [to[low] ?? 0, to[low + 1] ?? 1];
  const share = b === a ? 0 : (value - a) / (b - a);
  return c + Math.max(0, Math.min(1, share)) * (d - c);
}
