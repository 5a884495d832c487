import { describe, expect, it } from "vitest";
import { parseFilter, wordPattern } from "../../../../src/apps/inspector/search/filter.ts";

describe("a filter", () => {
  it.each([
    ["", []],
    ["  ", []],
    ["word", [{ type: "text", isExcluded: false }]],
    ["-word", [{ type: "text", isExcluded: true }]],
    ["method:Prompt", [{ type: "method", value: "prompt", isExcluded: false }]],
    [
      "-kind:error dir:in",
      [
        { type: "kind", isExcluded: true },
        { type: "dir", value: "in" },
      ],
    ],
    ['tool:"Edit file"', [{ type: "tool", value: "edit file" }]],
    ["size:>1k", [{ type: "size", test: { op: ">", value: 1000 } }]],
    ["size:<=1.5MB", [{ type: "size", test: { op: "<=", value: 1_500_000 } }]],
    ["ms:>2s", [{ type: "ms", test: { op: ">", value: 2000 } }]],
    ["ms:100", [{ type: "ms", test: { op: ">=", value: 100 } }]],
    ["bad:", [{ type: "bad", value: "" }]],
    ["bad:ACP-INIT", [{ type: "bad", value: "acp-init" }]],
    [
      "session:2 turn:1 id:7 lane:x",
      [{ value: "2" }, { value: "1" }, { value: "7" }, { value: "x" }],
    ],
    ["/a b.c/", [{ type: "text", pattern: /a b.c/i }]],
    ["-/A/s", [{ type: "text", pattern: /A/s, isExcluded: true }]],
    ["method:", []],
    ["http://x", [{ type: "text", pattern: /http:\/\/x/i }]],
    ['"a b"', [{ type: "text", pattern: /a b/i }]],
  ])("%j is understood", (text, terms) => {
    const { terms: found, faults } = parseFilter(text);
    expect(found).toMatchObject(terms);
    expect(found).toHaveLength(terms.length);
    expect(faults).toEqual([]);
  });

  it.each([
    ["/(/", "/(/ is not a regular expression"],
    ["size:big", "size:big needs a number, such as size:>100"],
    ["ms:>", "ms:> needs a number, such as ms:>100"],
  ])("%j has a fault, and the rest is used", (text, fault) => {
    const { terms, faults } = parseFilter(`${text} word`);
    expect(faults).toEqual([fault]);
    expect(terms).toHaveLength(1);
  });
});

describe("a word", () => {
  it.each([
    ["Hello", '"text":"hello"'],
    ['say "x"', String.raw`"say \"x\""`],
    ["é", String.raw`"caf\u00e9"`],
    ["é", String.raw`"caf\u00E9"`],
    ["😀", String.raw`"\ud83d\ude00"`],
    ["a.b", "a.b"],
    [String.raw`C:\dir`, String.raw`"C:\\dir"`],
  ])("%j is found in %j", (word, line) => {
    expect(wordPattern(word).test(line)).toBe(true);
  });

  it("is not a pattern", () => {
    expect(wordPattern("a.b").test("axb")).toBe(false);
    expect(wordPattern("(").test("x")).toBe(false);
  });
});
