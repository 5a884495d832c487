import fc from "fast-check";
import { expect, it } from "vitest";
import { RunningText } from "../../src/droid/turn/running-text.ts";

function missing(pieces: readonly string[], whole: string): string | undefined {
  const text = new RunningText();
  for (const piece of pieces) text.add(piece);
  return text.missingFrom(whole);
}

it.each([
  [["one ", "two"], "one two", ""],
  [["one "], "one two", "two"],
  [[], "one", "one"],
  [["\n\n", "one"], "one", ""],
  [["one", "\n\n"], "one", ""],
  [["one", " \n"], "one\n", ""],
  [["  "], "one", "one"],
  [["one", "two"], "one two", undefined],
  [["one one"], "one", undefined],
  [["one"], "", undefined],
])("%j then %j lacks %j", (pieces, whole, rest) => {
  expect(missing(pieces, whole)).toBe(rest);
});

it("knows any text again, however it was cut", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" })), fc.string(), (pieces, more) => {
      const text = pieces.join("");
      expect(missing(pieces, text)).toBe("");
      const rest = missing(pieces, text + more);
      expect((text + (rest ?? "?")).trim()).toBe((text + more).trim());
    }),
  );
});
