import { describe, expect, it } from "vitest";
import { isHonest } from "../../../../../src/apps/cli/render/markdown/inline.ts";
import { blockRows, type Look } from "../../../../../src/apps/cli/render/markdown/blocks.ts";
import { parseBlocks } from "../../../../../src/base/markdown/index.ts";
import { showsLinks, ansi, plain } from "../../../../../src/apps/cli/render/terminal/style.ts";

describe("the text of a link", () => {
  it.each([
    ["the docs", "https://x.y/", true],
    ["x.y", "https://x.y/", true],
    ["https://x.y", "https://x.y/", true],
    ["good.com", "https://evil.com/", false],
    ["https://good.com/login", "https://evil.com/", false],
    ["good.com/login", "https://evil.com/", false],
    ["a@good.com", "mailto:b@evil.com", false],
    ["file.ts", "https://x.y/file.ts", false],
  ])("%j for %j may stand alone: %s", (text, address, honest) => {
    expect(isHonest(text, address)).toBe(honest);
  });

  const shown = (source: string, links: boolean) => {
    const look: Look = { style: ansi, styled: true, links, syntaxOf: () => undefined };
    return blockRows(parseBlocks(source), 200, look)
      .map(({ text }) => text)
      .join("");
  };
  const linked = (address: string, text: string) =>
    `\u001b]8;;${address}\u001b\\\u001b[4m${text}\u001b[24m\u001b]8;;\u001b\\`;

  it("is a link where the terminal shows links", () => {
    expect(shown("[a](https://x.y/z)", true)).toBe(linked("https://x.y/z", "a"));
  });
  it("is followed by the address where it does not", () => {
    expect(shown("[a](https://x.y/z)", false)).toBe("\u001b[4ma\u001b[24m (https://x.y/z)");
    expect(shown("<https://x.y/z>", false)).toBe("\u001b[4mhttps://x.y/z\u001b[24m");
  });
  it("is followed by the address if it looks like another one", () => {
    expect(shown("[good.com](https://evil.com/)", true)).toBe(
      `${linked("https://evil.com/", "good.com")} (https://evil.com/)`,
    );
  });
  it("is no link if the address is not for the web", () => {
    expect(shown("[a](file:///etc/passwd)", true)).toBe(
      "\u001b[4ma\u001b[24m (file:///etc/passwd)",
    );
  });
});

describe("a terminal shows links", () => {
  it.each([
    [{}, false],
    [{ TERM: "xterm-256color" }, false],
    [{ TERM: "xterm-kitty" }, true],
    [{ TERM_PROGRAM: "iTerm.app" }, true],
    [{ TERM_PROGRAM: "Apple_Terminal" }, false],
    [{ VTE_VERSION: "7600" }, true],
    [{ VTE_VERSION: "4600" }, false],
    [{ WT_SESSION: "x" }, true],
    [{ TERM_PROGRAM: "tmux", TERM_PROGRAM_VERSION: "3.3a" }, false],
    [{ TERM_PROGRAM: "tmux", TERM_PROGRAM_VERSION: "3.4" }, true],
    [{ TMUX: "x", WT_SESSION: "x" }, false],
    [{ FORCE_HYPERLINK: "1" }, true],
    [{ FORCE_HYPERLINK: "0", WT_SESSION: "x" }, false],
  ])("with %j: %s", (env, shows) => {
    expect(showsLinks(env)).toBe(shows);
  });
});

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
