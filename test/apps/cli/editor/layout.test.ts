import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NEW_EDITOR } from "../../../../src/apps/cli/editor/editor.ts";
import { editorRows } from "../../../../src/apps/cli/editor/layout.ts";
import { columnsOf } from "../../../../src/apps/cli/render/terminal/columns.ts";
import { plain } from "../../../../src/apps/cli/render/terminal/style.ts";

const rowsOf = (text: string, cursor = text.length, columns = 20, rows = 24) =>
  editorRows({ ...NEW_EDITOR, buffer: { text, cursor } }, { columns, rows }, plain);

describe("the rows of the editor", () => {
  it.each([
    ["an empty text", "", ["> "], [0, 2]],
    ["a word", "hello", ["> hello"], [0, 7]],
    ["several lines", "a\nb", ["> a", "  b"], [1, 3]],
    ["a long line", "x".repeat(20), [`> ${"x".repeat(17)}`, "  xxx"], [1, 5]],
    ["wide characters at the edge", "漢".repeat(9), [`> ${"漢".repeat(8)}`, "  漢"], [1, 4]],
    ["a full row", "x".repeat(17), [`> ${"x".repeat(17)}`], [0, 19]],
    ["control characters", "a\u001bb\u202e", ["> a␛b<U+202E>"], [0, 13]],
    ["tabs", "a\tb", ["> a    b"], [0, 8]],
  ])("%s", (_what, text, rows, [row, column]) => {
    expect(rowsOf(text)).toEqual({ rows, cursor: { row, column } });
  });

  it("shows the rows around the cursor if there are too many", () => {
    const text = Array.from({ length: 100 }, (_, n) => `line ${n}`).join("\n");
    const { rows, cursor } = rowsOf(text, text.indexOf("line 50"), 20, 12);
    expect(rows).toHaveLength(6);
    expect(rows[cursor?.row ?? 0]).toMatch(/line 50$/);
    expect(rows[0]).toMatch(/^⋮ /);
  });

  it("shows a search and a menu", () => {
    const search = { query: "pars", found: undefined, before: NEW_EDITOR.buffer };
    const size = { columns: 40, rows: 24 };
    expect(editorRows({ ...NEW_EDITOR, search }, size, plain)).toEqual({
      rows: ["> ", "search: pars  nothing found"],
      cursor: { row: 1, column: 12 },
    });
    const items = [
      { word: "/a", detail: "first" },
      { word: "/漢", detail: "second" },
    ];
    const menu = { start: 0, typed: "/", index: 1, items };
    expect(editorRows({ ...NEW_EDITOR, menu }, size, plain).rows).toEqual([
      "> ",
      "  /a   first",
      "› /漢  second",
    ]);
  });

  it("never exceed the terminal, and the cursor is in one of them", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 300 }),
        fc.integer({ min: 5, max: 120 }),
        fc.integer({ min: 3, max: 40 }),
        fc.nat(),
        (text, columns, height, at) => {
          const { rows, cursor } = rowsOf(text, at % (text.length + 1), columns, height);
          expect(rows.length).toBeLessThanOrEqual(height);
          for (const row of rows) expect(columnsOf(row)).toBeLessThan(Math.max(columns, 12));
          expect(cursor?.row).toBeLessThan(rows.length);
          expect(cursor?.column).toBeLessThan(Math.max(columns, 12));
        },
      ),
    );
  });
});
