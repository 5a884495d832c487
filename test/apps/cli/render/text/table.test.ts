import { describe, expect, it } from "vitest";
import { table } from "../../../../../src/apps/cli/render/text/table.ts";

describe("a table", () => {
  it("aligns columns by their width on a terminal, where a wide character counts twice", () => {
    const rows = [
      ["漢字", "first"],
      ["plain", "second"],
    ];
    expect(table(["NAME", "TITLE"], rows)).toBe("NAME   TITLE\n漢字   first\nplain  second\n");
  });

  const head = ["ID", "WHEN", "TITLE"];
  const rows = [
    ["0123456789", "2 h ago", "Fix the parser for nested lists in quotes"],
    ["漢字", "now", "修正: 表の幅"],
  ];
  it.each([
    [
      "on one line each where there is room",
      80,
      `ID          WHEN     TITLE
0123456789  2 h ago  Fix the parser for nested lists in quotes
漢字        now      修正: 表の幅
`,
    ],
    [
      "with the last column wrapped",
      46,
      `ID          WHEN     TITLE
0123456789  2 h ago  Fix the parser for nested
                     lists in quotes
漢字        now      修正: 表の幅
`,
    ],
    [
      "with the last column below",
      30,
      `ID          WHEN
0123456789  2 h ago
    Fix the parser for nested
    lists in quotes
漢字        now
    修正: 表の幅
`,
    ],
    [
      "with every cell below the first",
      16,
      `0123456789
    2 h ago
    Fix the
    parser for
    nested lists
    in quotes
漢字
    now
    修正: 表の幅
`,
    ],
  ])("shows rows %s", (_, width, expected) => {
    expect(table(head, rows, width)).toBe(expected);
  });

  it("breaks a word that is longer than a line, between characters", () => {
    expect(table(["A", "B"], [["a", "漢字漢字漢字漢"]], 9)).toBe(
      "A\na\n    漢字\n    漢字\n    漢字\n    漢\n",
    );
  });

  it("is safe for a terminal, and does not pad the last column", () => {
    expect(table(["A", "B"], [["\u001b[31mred", "x"]])).not.toContain("\u001b");
    expect(table(["A", "B"], [["a", "b"]])).toBe("A  B\na  b\n");
  });
});
