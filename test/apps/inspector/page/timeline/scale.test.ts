import { describe, expect, it } from "vitest";
import { timeScale } from "../../../../../src/apps/inspector/page/timeline/scale.ts";

describe("a scale with an idle time", () => {
  const scale = timeScale(0, 63_000, [{ fromMs: 1000, toMs: 61_000, after: 3 }]);

  it("folds it to a thirtieth of the active time", () => {
    expect(scale.length).toBe(3100);
    expect(scale.folds).toEqual([{ from: 1000, to: 1100, ms: 60_000 }]);
  });

  it.each([
    [0, 0],
    [1000, 1000],
    [31_000, 1050],
    [61_000, 1100],
    [63_000, 3100],
  ])("maps %i ms to %i and back", (ms, place) => {
    expect(scale.at(ms)).toBeCloseTo(place);
    expect(scale.msAt(place)).toBeCloseTo(ms);
  });

  it("keeps times outside at its ends", () => {
    expect([scale.at(-5), scale.at(1e9)]).toEqual([0, 3100]);
  });
});

it("a scale of no length does not divide by zero", () => {
  const scale = timeScale(5, 5, []);
  expect([scale.at(5), scale.msAt(0.5), scale.length].every(Number.isFinite)).toBe(true);
});
