import { describe, expect, it } from "vitest";
import { table } from "../../../../src/cli/render/text/table.ts";

describe("a table", () => {
  it("aligns columns by their width on a terminal, where a wide character counts twice", () => {
    const rows = [
      ["漢字", "first"],
      ["plain", "second"],
    ];
    expect(table(["NAME", "TITLE"], rows)).toBe("NAME   TITLE\n漢字   first\nplain  second\n");
  });

  it("is safe for a terminal, and does not pad the last column", () => {
    expect(table(["A", "B"], [["\u001b[31mred", "x"]])).not.toContain("\u001b");
    expect(table(["A", "B"], [["a", "b"]])).toBe("A  B\na  b\n");
  });
});
