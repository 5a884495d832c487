import { expect, it } from "vitest";
import {
  bytes,
  clock,
  count,
  countOf,
  duration,
  money,
} from "../../../../../src/apps/inspector/page/parts/format.ts";

it.each([
  [0, "0 ms"],
  [0.44, "0.4 ms"],
  [999.4, "999 ms"],
  [1234, "1.23 s"],
  [12_345, "12.3 s"],
  [59_960, "1 min 00 s"],
  [125_000, "2 min 05 s"],
  [3_725_000, "1 h 02 min"],
])("writes a duration of %f ms as %s", (ms, text) => {
  expect(duration(ms)).toBe(text);
});

it("writes times since the start and relative to a frame", () => {
  expect([clock(61_005), clock(3_600_000), clock(-1500, true), clock(20, true)]).toEqual([
    "1:01.005",
    "1:00:00.000",
    "−0:01.500",
    "+0:00.020",
  ]);
});

it("writes bytes, counts and money", () => {
  expect([bytes(381), bytes(1240), bytes(77_000_000)]).toEqual(["381 B", "1.2 kB", "77 MB"]);
  expect([count(200_000), countOf(1, "frame"), countOf(3, "frame")]).toEqual([
    "200,000",
    "1 frame",
    "3 frames",
  ]);
  expect([money(0.0512, "USD"), money(12.5, "")]).toEqual(["0.0512 USD", "12.50"]);
});
