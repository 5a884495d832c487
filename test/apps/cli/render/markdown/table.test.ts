import { describe, expect, it } from "vitest";
import { blockRows, type Look } from "../../../../../src/apps/cli/render/markdown/blocks.ts";
import { parseBlocks } from "../../../../../src/base/markdown/index.ts";
import { plain } from "../../../../../src/apps/cli/render/terminal/style.ts";

const LOOK: Look = { style: plain, styled: true, links: false, syntaxOf: () => undefined };
const rows = (source: string, width: number) => blockRows(parseBlocks(source), width, LOOK);
const SOURCE = `
| 名前 | Size | Text |
|:-----|-----:|:----:|
| 日本 | 1 | one |
| **b** | 10000 | some more words |
`;

describe("a table", () => {
  it("is aligned by columns of the terminal", () => {
    expect(rows(SOURCE, 40).map(({ text }) => text)).toEqual([
      "名前 │  Size │      Text",
      "─────┼───────┼────────────────",
      "日本 │     1 │       one",
      "b    │ 10000 │ some more words",
    ]);
  });
  it("wraps its cells if it is too wide, with a rule between its rows", () => {
    expect(rows(SOURCE, 24).map(({ text }) => text)).toEqual([
      "名前 │  Size │   Text",
      "─────┼───────┼──────────",
      "日本 │     1 │    one",
      "─────┼───────┼──────────",
      "b    │ 10000 │ some more",
      "     │       │   words",
    ]);
  });
  it("becomes a list if it has more columns than fit", () => {
    const source = "| a | b | c |\n|---|---|---|\n| 1234567890 | 1234567890 | 1234567890 |\n";
    expect(rows(source + "| 4 | 5 | 6 |\n", 20).map(({ text }) => text)).toEqual([
      "a: 1234567890",
      "b: 1234567890",
      "c: 1234567890",
      "──────────",
      "a: 4",
      "b: 5",
      "c: 6",
    ]);
  });
  it.each([20, 30, 49, 79])("fits into %i columns", (width) => {
    for (const { columns } of rows(SOURCE, width)) expect(columns).toBeLessThanOrEqual(width);
  });
});
