/** A stretch of two lists: the same items in both, or items that only one of them has. */
export interface Stretch<T> {
  readonly isSame: boolean;
  readonly a: readonly T[];
  readonly b: readonly T[];
}

/** Items that both lists have, and those before them. */
interface Run {
  readonly a: number;
  readonly b: number;
  readonly count: number;
  readonly before: Run | undefined;
}

/**
 * Divides two lists into stretches, so that as many items as possible are the same and the order is kept. If
 * there are more than `mostEdits` differences, everything is one stretch that differs.
 */
export function stretchesOf<T>(
  a: readonly T[],
  b: readonly T[],
  mostEdits: number,
): readonly Stretch<T>[] {
  const stretches: Stretch<T>[] = [];
  const add = (fromA: number, fromB: number, toA: number, toB: number, isSame: boolean): void => {
    if (toA > fromA || toB > fromB)
      stretches.push({ isSame, a: a.slice(fromA, toA), b: b.slice(fromB, toB) });
  };
  let [toA, toB] = [a.length, b.length];
  for (let run = lastRun(a, b, mostEdits); run; run = run.before) {
    const [endA, endB] = [run.a + run.count, run.b + run.count];
    add(endA, endB, toA, toB, false);
    add(run.a, run.b, endA, endB, true);
    [toA, toB] = [run.a, run.b];
  }
  add(0, 0, toA, toB, false);
  return stretches.toReversed();
}

/** Myers, "An O(ND) Difference Algorithm": the furthest way on each diagonal, with one more edit at a time. */
function lastRun<T>(a: readonly T[], b: readonly T[], mostEdits: number): Run | undefined {
  const most = Math.min(mostEdits, a.length + b.length);
  // Diagonals count from -most; there is one more on either side.
  const ends = new Int32Array(2 * most + 3).fill(-1);
  const runs: (Run | undefined)[] = [];
  ends[most + 2] = 0;
  for (let edits = 0; edits <= most; edits++) {
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const place = most + 1 + diagonal;
      const [left, right] = [ends[place - 1] ?? 0, ends[place + 1] ?? 0];
      const isRemoved = left >= right;
      const start = isRemoved ? left + 1 : right;
      let at = start;
      while (at < a.length && at - diagonal < b.length && a[at] === b[at - diagonal]) at++;
      const before = runs[isRemoved ? place - 1 : place + 1];
      const count = at - start;
      const run = count > 0 ? { a: start, b: start - diagonal, count, before } : before;
      if (at >= a.length && at - diagonal >= b.length) return run;
      ends[place] = at;
      runs[place] = run;
    }
  }
  return undefined;
}
