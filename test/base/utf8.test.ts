import { isLongerThan } from "../../src/base/index.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

describe("isLongerThan", () => {
  it.each([
    ["", 0, false],
    ["a", 0, true],
    ["abc", 3, false],
    ["abcd", 3, true],
    ["é", 1, true],
    ["é", 2, false],
    ["€", 2, true],
    ["😀", 4, false],
    ["😀", 3, true],
  ])("compares %j with %i bytes", (text, limit, expected) => {
    expect(isLongerThan(text, limit)).toBe(expected);
  });

  it("counts the bytes of any text in UTF-8", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(40), (text, limit) => {
        expect(isLongerThan(text, limit)).toBe(Buffer.byteLength(text) > limit);
      }),
    );
  });
});
