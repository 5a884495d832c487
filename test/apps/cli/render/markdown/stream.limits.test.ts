import { describe, expect, it } from "vitest";
import { LiveRows } from "../../../../../src/apps/cli/render/markdown/growing-rows.ts";
import { MarkdownStream } from "../../../../../src/apps/cli/render/markdown/stream.ts";
import { ansi } from "../../../../../src/apps/cli/render/terminal/style.ts";

/** Writes an answer in these pieces. Returns the text and the CPU time: of all, and of the slowest piece. */
async function written(pieces: readonly string[]) {
  let text = "";
  const stream = new MarkdownStream({
    write: (part) => {
      text += part;
    },
    size: () => ({ columns: 80, rows: 24 }),
    rows: new LiveRows(true),
    style: ansi,
    links: true,
  });
  const times: number[] = [];
  const timed = async (step: () => Promise<void> | void): Promise<void> => {
    const before = process.cpuUsage();
    await step();
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  };
  for (const piece of pieces) await timed(() => stream.push(piece));
  await timed(() => stream.end());
  return { text, slowest: Math.max(...times), all: times.reduce((sum, ms) => sum + ms, 0) };
}

function inPieces(source: string, chars: number): readonly string[] {
  return source.match(new RegExp(`[^]{1,${chars}}`, "g")) ?? [];
}

const NESTED: readonly (readonly [string, (levels: number) => string])[] = [
  ["lists in one line", (levels) => `${"- ".repeat(levels)}end`],
  ["numbered lists", (levels) => `${"1. ".repeat(levels)}end`],
  ["quotes", (levels) => `${"> ".repeat(levels)}end\nmore\n> end`],
  ["quotes and lists", (levels) => `${"> - ".repeat(levels)}end`],
  ["emphasis", (levels) => `${"*a **b ".repeat(levels)}end${" b** a*".repeat(levels)}`],
  ["struck text", (levels) => `${"~a ~~b ".repeat(levels)}end${" b~~ a~".repeat(levels)}`],
  ["links", (levels) => `${"[".repeat(levels)}end${"](https://x.y)".repeat(levels)}`],
  ["images", (levels) => `${"![".repeat(levels)}end${"](x.png)".repeat(levels)}`],
  [
    "a table in lists",
    (levels) =>
      `${"- ".repeat(levels)}|a|b|\n${"  ".repeat(levels)}|-|-|\n${"  ".repeat(levels)}|end|d|`,
  ],
];

describe.each(NESTED)("%s, nested", (_name, nested) => {
  it.each([1200, 20_000])("%i levels deep, are shown", async (levels) => {
    const source = `before\n\n${nested(levels)}\n\nafter\n`;
    for (const pieces of [[source], inPieces(source, 997)]) {
      const { text } = await written(pieces);
      expect(text).toContain("before");
      expect(text).toContain("end");
      expect(text).toContain("after");
    }
  });
});

it("shows lists that are indented 1,200 times", async () => {
  const lines = Array.from(
    { length: 1200 },
    (_, level) => `${"  ".repeat(level)}- level ${level}\n`,
  );
  for (const pieces of [[lines.join("")], lines]) {
    const { text } = await written([...pieces, "\n\nafter\n"]);
    expect(text).toContain("• level 3\n");
    expect(text).toContain("- level 1199");
    expect(text).toContain("after");
  }
});

/** Texts of 7,900 characters, so that they are all one open block. */
const SLOW: readonly (readonly [string, string])[] = [
  ...["*a_", "_a*", "**a **a ", "_*a", "__", "a**b", "~a~~b", "é- 。~~"].map(
    (unit) => [JSON.stringify(unit), unit] as const,
  ),
  ...["[", "![", "[a](", "[a][", "[[a](b)", "`", "a`b``", "<a", "<a b='", "<!-", "!", "\\*"].map(
    (unit) => [JSON.stringify(unit), unit] as const,
  ),
  ...[
    "~",
    "    ",
    "\t",
    "|a",
    "> a\n",
    "> \n  :",
    "- a\n  ```\n",
    "a\n=\n",
    "*a_\n",
    "# \na\n",
  ].map((unit) => [JSON.stringify(unit), unit] as const),
  ["a long table", "| cell *a* | `b` |\n"],
  ["lines of quotes in quotes", `${">".repeat(100)}a\n`],
  ["a paragraph of words", "some words of prose, with *emphasis* and `code`. "],
];

it.each(SLOW)("needs little time for each piece of %s", async (_name, unit) => {
  const head = unit.startsWith("|") ? "| a | b |\n|---|---|\n" : "x ";
  const source = (head + unit.repeat(7900)).slice(0, 7900);
  const streamed = await written(inPieces(source, 4));
  // Without a limit, the worst of these take minutes. The slowest piece takes some 30 ms on an idle machine.
  expect(streamed.slowest).toBeLessThan(400);
  expect(streamed.all).toBeLessThan(4000);
  expect((await written([source])).all).toBeLessThan(800);
});

it.each([
  ["with every piece while it is short", 500, 125],
  ["now and then when it is long", 7900, 250],
])("draws a block %s", async (_when, chars, most) => {
  let drawn = 0;
  const stream = new MarkdownStream({
    write: () => {},
    size: () => ({ columns: 80, rows: 24 }),
    rows: {
      columnsFor: () => 80,
      update: () => {
        drawn++;
        return "";
      },
      finish: () => "",
    },
    style: ansi,
    links: true,
  });
  for (const piece of inPieces("word ".repeat(chars / 5), 4)) await stream.push(piece);
  expect(drawn).toBeGreaterThanOrEqual(125);
  expect(drawn).toBeLessThanOrEqual(most);
});
