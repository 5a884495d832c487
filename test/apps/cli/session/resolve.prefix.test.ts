import { describe, expect, it } from "vitest";
import { PrefixSearch } from "../../../../src/apps/cli/session/resolve.ts";

function search(given: string, ids: readonly string[]): string | undefined {
  const found = new PrefixSearch(given);
  for (const id of ids) found.take(id);
  return found.result("sessions list");
}

describe("the search for a session", () => {
  it.each([
    ["ab", ["abc", "xyz"], "abc"],
    ["abc", ["abcd", "abc", "abce"], "abc"],
    ["x", ["abc"], undefined],
    ["", ["abc"], undefined],
    ["bc", ["abc"], undefined],
  ])("for %j in %j finds %j", (given, ids, found) => {
    expect(search(given, ids)).toBe(found);
  });

  it("fails if several sessions fit, and names some", () => {
    const ids = Array.from({ length: 7 }, (_, n) => `a${n}`);
    expect(() => search("a", ids)).toThrow(
      '"a" is the start of 7 session ids: a0, a1, a2, a3, a4 and 2 more',
    );
  });
});
