import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineStore } from "../../../src/trace/model/frame-table.ts";

describe("the store of lines", () => {
  it("returns every line as it was, however many and however long", () => {
    const text = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.nat({ max: 100_000 }).map((length) => "é漢😀".repeat(length / 8)),
    );
    fc.assert(
      fc.property(fc.array(text, { maxLength: 30 }), (texts) => {
        const lines = texts.map((each) => each.replaceAll("\n", ""));
        const store = new LineStore();
        expect(lines.map((line) => store.push(line))).toEqual([...lines.keys()]);
        expect(lines.map((_, row) => store.text(row))).toEqual(lines);
        expect(store.bytes).toBe(Buffer.byteLength(lines.join("")));
        const blocks = Array.from({ length: store.blocks }, (_, block) => store.blockText(block));
        expect(blocks.join("")).toBe(lines.map((line) => `${line}\n`).join(""));
      }),
      { numRuns: 40 },
    );
  });

  it("knows which rows each block has", () => {
    const store = new LineStore();
    for (let row = 0; row < 30; row++) store.push("x".repeat(200_000));
    const rows = Array.from({ length: store.blocks }, (_, block) => store.blockRows(block));
    expect(rows.at(0)?.first).toBe(0);
    expect(rows.at(-1)?.last).toBe(30);
    for (const [index, { last }] of rows.entries())
      expect(rows[index + 1]?.first ?? last).toBe(last);
    expect(rows.length).toBeGreaterThan(3);
  });

  it("reads the beginning of a long line", () => {
    const store = new LineStore();
    store.push("x".repeat(5000));
    expect(store.text(0, 10)).toBe("x".repeat(10));
    expect(store.text(1)).toBe("");
  });

  it("keeps a line with a newline on one line", () => {
    const store = new LineStore();
    store.push("a\nb");
    expect(store.text(0)).toBe("a b");
  });
});
