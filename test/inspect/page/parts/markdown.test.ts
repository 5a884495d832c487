import { describe, expect, it } from "vitest";
import {
  parseInline,
  parseMarkdown,
  safeHref,
} from "../../../../src/inspect/page/parts/markdown.ts";

const text = (value: string) => ({ type: "text", text: value });

describe("blocks", () => {
  it("are headings, paragraphs, code, quotes, lists, tables and rules", () => {
    const source = [
      "# Title",
      "a line",
      "and another",
      "",
      "```ts",
      "const a = `<b>`;",
      "```",
      "> quoted",
      "",
      "- [x] done",
      "- open",
      "  1. inner",
      "",
      "| A | B |",
      "| - | - |",
      "| 1 | 2 |",
      "",
      "---",
    ].join("\n");
    const blocks = parseMarkdown(source);
    expect(blocks.map(({ type }) => type)).toEqual([
      "heading",
      "paragraph",
      "code",
      "quote",
      "list",
      "table",
      "rule",
    ]);
    expect(blocks[2]).toEqual({ type: "code", language: "ts", text: "const a = `<b>`;" });
    expect(blocks[4]).toMatchObject({
      items: [
        { isDone: true },
        { isDone: undefined, blocks: [{ type: "paragraph" }, { type: "list", isOrdered: true }] },
      ],
    });
    expect(blocks[5]).toMatchObject({
      head: [[text("A")], [text("B")]],
      rows: [[[text("1")], [text("2")]]],
    });
  });

  it("an unfinished block of code goes to the end, as while it is streamed", () => {
    expect(parseMarkdown("```\nlet a")).toEqual([{ type: "code", language: "", text: "let a" }]);
  });

  it("deep nesting stays text", () => {
    expect(() => parseMarkdown("> ".repeat(10_000))).not.toThrow();
    expect(JSON.stringify(parseMarkdown(`${"> ".repeat(50)}x`))).toContain("> ");
  });
});

describe("inline marks", () => {
  it.each([
    ["a **b** c", [text("a "), { type: "strong", children: [text("b")] }, text(" c")]],
    [
      "*x* and _y_",
      [
        { type: "emphasis", children: [text("x")] },
        text(" and "),
        { type: "emphasis", children: [text("y")] },
      ],
    ],
    ["snake_case_name", [text("snake_case_name")]],
    ["`` a`b ``", [{ type: "code", text: "a`b" }]],
    ["~~gone~~", [{ type: "deleted", children: [text("gone")] }]],
    [String.raw`\*no\*`, [text("*"), text("no"), text("*")]],
    ["2 * 3 * 4", [text("2 * 3 * 4")]],
  ])("%s", (source, pieces) => {
    expect(parseInline(source)).toEqual(pieces);
  });

  it("links lead only to the web and to mail", () => {
    expect(parseInline("[a](https://b.c/d_(e))")).toEqual([
      { type: "link", href: "https://b.c/d_(e)", children: [text("a")] },
    ]);
    expect(parseInline("see https://a.b/c.")).toEqual([
      text("see "),
      { type: "link", href: "https://a.b/c", children: [text("https://a.b/c")] },
      text("."),
    ]);
    expect(parseInline("[a](javascript:alert)")).toEqual([text("[a](javascript:alert)")]);
    expect(["data:text/html,x", "file:///x", "//host", "JavaScript:x"].map(safeHref)).toEqual(
      Array.from({ length: 4 }),
    );
  });

  it("HTML and images stay text", () => {
    expect(parseInline('<img src=x onerror="x">')).toEqual([text('<img src=x onerror="x">')]);
  });
});
