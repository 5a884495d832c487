import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  clipped,
  type Interval,
  totalMs,
  united,
  without,
} from "../../../src/trace/model/turn-time.ts";

const interval = fc.tuple(fc.nat({ max: 60 }), fc.nat({ max: 60 }));
const intervals = fc.array(interval, { maxLength: 8 });
const covers = (list: readonly Interval[], at: number): boolean =>
  list.some(([from, to]) => from <= at && at < to);
const points = Array.from({ length: 60 }, (_, at) => at);

describe("stretches of time", () => {
  it("that are united cover the same times, without overlaps", () => {
    fc.assert(
      fc.property(intervals, (list) => {
        const result = united(list);
        for (const at of points) expect(covers(result, at)).toBe(covers(list, at));
        expect(totalMs(result)).toBe(points.filter((at) => covers(list, at)).length);
      }),
    );
  });

  it("without others cover exactly the rest", () => {
    fc.assert(
      fc.property(intervals, intervals, (a, b) => {
        const result = without(united(a), united(b));
        for (const at of points) expect(covers(result, at)).toBe(covers(a, at) && !covers(b, at));
      }),
    );
  });

  it("that are clipped stay inside", () => {
    expect(
      clipped(
        [
          [0, 5],
          [7, 20],
          [30, 40],
        ],
        [3, 10],
      ),
    ).toEqual([
      [3, 5],
      [7, 10],
    ]);
  });
});
