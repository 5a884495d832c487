import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RunningText } from "../../../src/droid/turn/messages.ts";

function missing(pieces: readonly string[], whole: string): string | undefined {
  const text = new RunningText();
  for (const piece of pieces) text.add(piece);
  return text.missingFrom(whole);
}

describe("a running text", () => {
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
  ])("of the pieces %j, compared with %j, lacks %j", (pieces, whole, rest) => {
    expect(missing(pieces, whole)).toBe(rest);
  });

  it("recognizes any text, however it was split", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" })), fc.string(), (pieces, more) => {
        const text = pieces.join("");
        expect(missing(pieces, text)).toBe("");
        const rest = missing(pieces, text + more);
        expect((text + (rest ?? "?")).trim()).toBe((text + more).trim());
      }),
    );
  });
});
