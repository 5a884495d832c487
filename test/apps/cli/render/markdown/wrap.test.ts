import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wrap, columnsOfSpans, span } from "../../../../../src/apps/cli/render/terminal/spans.ts";

const rows = (text: string, width: number) =>
  wrap([span(text)], width).map((row) => row.map((one) => one.text).join(""));

describe("text", () => {
  it.each([
    ["", 5, [""]],
    ["one two", 7, ["one two"]],
    ["one two", 6, ["one", "two"]],
    ["one  two   three", 8, ["one  two", "three"]],
    ["abcdefgh", 3, ["abc", "def", "gh"]],
    ["a bcdefgh", 4, ["a", "bcde", "fgh"]],
    ["a\nb", 9, ["a", "b"]],
    ["  a", 9, ["  a"]],
    ["日本語", 4, ["日本", "語"]],
    ["日本語", 5, ["日本", "語"]],
    ["ab日本", 4, ["ab日", "本"]],
    ["日本。", 4, ["日", "本。"]],
    ["e\u0301e\u0301e\u0301", 2, ["e\u0301e\u0301", "e\u0301"]],
    ["ab", 1, ["a", "b"]],
  ])("%j is broken to %i columns", (text, width, expected) => {
    expect(rows(text, width)).toEqual(expected);
  });

  it("keeps the styles on both sides of a break, and words that have two", () => {
    const spans = [span("one tw", "bold"), span("o three")];
    expect(wrap(spans, 8)).toEqual([[span("one tw", "bold"), span("o")], [span("three")]]);
  });

  it("loses nothing but spaces, and fits", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "bc", " ", "日", "。", "\n", "e\u0301")),
        fc.integer({ min: 2, max: 12 }),
        (parts, width) => {
          const broken = wrap([span(parts.join(""))], width);
          for (const row of broken) expect(columnsOfSpans(row)).toBeLessThanOrEqual(width);
          const text = broken.flatMap((row) => row.map((one) => one.text)).join("");
          expect(text.replace(/\s/g, "")).toBe(parts.join("").replace(/\s/g, ""));
        },
      ),
    );
  });
});
