import { expect, it } from "vitest";
import { replaceSection, table } from "./doc-section.ts";

const page = "before\n<!-- a -->\nold\n<!-- /a -->\nafter\n";

it("replaces only the text of the section", () => {
  expect(replaceSection(page, "a", "new")).toBe(
    "before\n<!-- a -->\n\nnew\n\n<!-- /a -->\nafter\n",
  );
});

it("rejects a page without the section", () => {
  expect(() => replaceSection(page, "b", "new")).toThrow('the page has no section "b"');
});

it("escapes the separator in the cells of a table", () => {
  expect(table(["x", "y"], [["1|2", "3"]])).toBe("| x | y |\n| --- | --- |\n| 1\\|2 | 3 |");
});
