import { expect, it } from "vitest";
import { columnsOf, cutToColumns } from "../../../../../src/apps/cli/render/terminal/columns.ts";

it.each([
  ["", 0],
  ["plain", 5],
  ["漢字", 4],
  ["e\u0301", 1],
  ["a\u200bb", 2],
  ["🎉", 2],
])("%j takes %i columns", (text, columns) => {
  expect(columnsOf(text)).toBe(columns);
});

it.each([
  ["plain", 5, "plain"],
  ["plain", 4, "pla…"],
  ["漢字漢字", 6, "漢字…"],
  ["漢字漢字", 5, "漢字…"],
  ["漢字", 4, "漢字"],
])("%j cut to %i columns is %j", (text, columns, expected) => {
  expect(cutToColumns(text, columns)).toBe(expected);
  expect(columnsOf(cutToColumns(text, columns))).toBeLessThanOrEqual(columns);
});
