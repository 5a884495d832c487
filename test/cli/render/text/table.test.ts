import { expect, it } from "vitest";
import { table } from "../../../../src/cli/render/text/table.ts";

it("aligns columns by what a terminal shows, so that a wide character counts twice", () => {
  const rows = [
    ["漢字", "first"],
    ["plain", "second"],
  ];
  expect(table(["NAME", "TITLE"], rows)).toBe("NAME   TITLE\n漢字   first\nplain  second\n");
});

it("escapes what a terminal would act on, and pads no last column", () => {
  expect(table(["A", "B"], [["\u001b[31mred", "x"]])).not.toContain("\u001b");
  expect(table(["A", "B"], [["a", "b"]])).toBe("A  B\na  b\n");
});
