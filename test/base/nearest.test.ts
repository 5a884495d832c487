import { expect, it } from "vitest";
import { editDistance, nearest } from "../../src/base/index.ts";

it.each([
  ["", "", 0],
  ["abc", "abc", 0],
  ["abc", "acb", 1],
  ["abc", "ab", 1],
  ["abc", "abcd", 1],
  ["kitten", "sitting", 3],
])("the edit distance from %j to %j is %i", (from, to, distance) => {
  expect(editDistance(from, to)).toBe(distance);
});

it.each([
  ["gemni", "gemini"],
  ["cluade", "claude"],
  ["GEMINI", "gemini"],
  ["x", undefined],
  ["nothing-like-it", undefined],
])("the nearest candidate to %s is %s", (word, meant) => {
  expect(nearest(word, ["gemini", "claude", "codex"])).toBe(meant);
});

it("a word that lacks its end is nearer than one with another letter", () => {
  expect(nearest("--list-model", ["--list-modes", "--list-models"])).toBe("--list-models");
});
