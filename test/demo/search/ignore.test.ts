import { describe, expect, it } from "vitest";
import { parseIgnore } from "../../../src/demo/search/ignore.ts";

describe("ignore rules", () => {
  const rules = parseIgnore(
    "# no\n*.log\n/build\nsub/*.tmp\ndocs/**/draft\n!keep.log\nonly/\n\nx?z\n",
  );
  it.each([
    ["a.log", false, true],
    ["deep/a.log", false, true],
    ["keep.log", false, false],
    ["build", true, true],
    ["deep/build", true, undefined],
    ["sub/a.tmp", false, true],
    ["sub/deep/a.tmp", false, undefined],
    ["docs/a/b/draft", false, true],
    ["docs/draft", false, true],
    ["only", true, true],
    ["only", false, undefined],
    ["xyz", false, true],
    ["xyyz", false, undefined],
    ["a.txt", false, undefined],
  ])("decide about %s (folder: %s): %s", (path, isFolder, ignored) => {
    expect(rules(path, isFolder)).toBe(ignored);
  });
  it("accept any text without failing", () => {
    expect(parseIgnore("[z-a]\n(((\n\\\n***\n!\n/\n")("x", false)).toBeTypeOf("boolean");
  });
});
