/** A stretch of time in milliseconds, from its start to its end. */
export type Interval = readonly [from: number, to: number];

/** The same times without overlaps, in order. Empty stretches are left out. */
export function united(intervals: readonly Interval[]): readonly Interval[] {
  const result: [number, number][] = [];
  for (const [from, to] of intervals.toSorted((a, b) => a[0] - b[0])) {
    if (to <= from) continue;
    const last = result.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}

/** The parts of the first that are not in the second. Both must be united. */
export function without(
  intervals: readonly Interval[],
  removed: readonly Interval[],
): readonly Interval[] {
  return intervals.flatMap(([from, to]) => {
    const parts: Interval[] = [];
    let at = from;
    for (const [start, end] of removed) {
      if (end <= at || start >= to) continue;
      if (start > at) parts.push([at, start]);
      at = Math.max(at, end);
    }
    if (at < to) parts.push([at, to]);
    return parts;
  });
}

/** The parts inside a span. */
export function clipped(
  intervals: readonly Interval[],
  [start, end]: Interval,
): readonly Interval[] {
  return intervals
    .map(([from, to]): Interval => [Math.max(from, start), Math.min(to, end)])
    .filter(([from, to]) => to > from);
}

/** How long the stretches are together. */
export function totalMs(intervals: readonly Interval[]): number {
  return intervals.reduce((sum, [from, to]) => sum + to - from, 0);
}
