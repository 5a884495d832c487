import { expect, it } from "vitest";
import { diffCounts, lineDiff } from "../../../../../src/apps/inspector/page/parts/line-diff.ts";

const numbers = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\n`).join("");

it("shows three lines around a change, with their numbers", () => {
  const rows = lineDiff(numbers(1, 20), numbers(1, 20).replace("10\n", "ten\n10a\n"));
  expect(rows.map(({ type, text }) => (type === "gap" ? "…" : `${type[0]}${text}`))).toEqual([
    "…",
    "s7",
    "s8",
    "s9",
    "r10",
    "aten",
    "a10a",
    "s11",
    "s12",
    "s13",
    "…",
  ]);
  expect(rows[4]).toMatchObject({ before: 10, after: undefined });
  expect(rows[7]).toMatchObject({ before: 11, after: 12 });
  expect(diffCounts(rows)).toEqual({ added: 2, removed: 1 });
});

it("shows a new file in full, and nothing for equal texts", () => {
  expect(lineDiff(undefined, "a\nb\n").map(({ type }) => type)).toEqual(["added", "added"]);
  expect(lineDiff("a\n", "a\n")).toEqual([]);
});

it("shows texts that differ too much one after the other", () => {
  const rows = lineDiff(numbers(1, 4000), numbers(10_000, 14_000));
  expect(diffCounts(rows)).toEqual({ added: 4001, removed: 4000 });
});
