import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  LiveRows,
  DraftRows,
  MarkdownStream,
} from "../../../../../src/apps/cli/render/markdown/stream.ts";
import { Sanitizer } from "../../../../../src/base/index.ts";
import { ansi, plain, type Style } from "../../../../../src/apps/cli/render/terminal/style.ts";
import { TestTerminal } from "../../support/terminal.ts";

import fc from "fast-check";

interface Options {
  readonly columns?: number;
  readonly rows?: number;
  readonly style?: Style;
  readonly links?: boolean;
}

function open({ columns = 50, rows = 1000, style = ansi, links = false }: Options = {}) {
  const terminal = new TestTerminal(columns, rows);
  let written = "";
  const stream = new MarkdownStream({
    write: (text) => {
      written += text;
      terminal.write(text);
    },
    size: () => terminal,
    rows: new LiveRows(true),
    style,
    links,
  });
  return { terminal, stream, written: () => written };
}

/** The screen after a source arrived in these pieces. */
async function shown(pieces: readonly string[], options: Options = {}): Promise<string> {
  const { terminal, stream } = open(options);
  for (const piece of pieces) await stream.push(piece);
  stream.end();
  return terminal.text;
}

const SAMPLE = readFileSync(
  new URL("../../golden/markdown/everything.txt", import.meta.url),
  "utf8",
);

describe("Markdown on a terminal", () => {
  it("is rendered", async () => {
    await expect(await shown([SAMPLE])).toMatchFileSnapshot(
      "../../golden/markdown/everything-50.txt",
    );
  });

  it.each([
    ["an unclosed fence", "```js\nlet a = 1;\nlet b", "  let a = 1;\n  let b"],
    ["emphasis that never closes", "a **b *c `d", "a **b *c `d"],
    ["only marks", "- \n", "•"],
    ["a number", "42", "42"],
    ["HTML", "<details>\n<b>x</b>\n</details>\n", "<details>\n<b>x</b>\n</details>"],
    ["HTML in a line", "a <kbd>b</kbd>", "a <kbd>b</kbd>"],
    ["a link definition", "[a]: https://x.y/z\n", "[a]: https://x.y/z"],
    ["an image", "![a cat](cat.png)", "[a cat] (cat.png)"],
    ["entities", "1 &lt; 2 &amp;&amp; &#65;", "1 < 2 && A"],
    ["line breaks", "a  \nb\\\nc\nd", "a\nb\nc\nd"],
    ["indented code", "    a\n      b\n", "  a\n    b"],
    ["a fence of tildes", "~~~\n```\n~~~\nx", "  ```\nx"],
    ["a longer fence", "````md\n```\n````\nx", "  ```\nx"],
    ["tabs in code", "```\n\ta\n```", "      a"],
    ["a long word", `${"x".repeat(60)} y`, `${"x".repeat(49)}\n${"x".repeat(11)} y`],
    ["blank lines at both ends", "\n\n\na\n\n\n\nb\n\n\n", "a\n\nb"],
  ])("shows %s", async (_case, source, screen) => {
    expect((await shown([source])).trimEnd()).toBe(screen);
    expect((await shown(source.split(""))).trimEnd()).toBe(screen);
  });

  it("does not depend on how the answer was cut", async () => {
    const whole = await shown([SAMPLE]);
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 50 });
    await fc.assert(
      fc.asyncProperty(cuts, async (sizes) => {
        const pieces: string[] = [];
        for (let at = 0, n = 0; at < SAMPLE.length; n++) {
          const size = sizes[n % sizes.length] ?? 1;
          pieces.push(SAMPLE.slice(at, at + size));
          at += size;
        }
        expect(await shown(pieces)).toBe(whole);
      }),
      { numRuns: 10 },
    );
  });

  it("does not depend on the cuts for any mix of marks either", async () => {
    const part = fc.constantFrom(
      ..."# ,- ,1. ,> ,```js\n,```\n,**,*,_,`,~~,[a](b),[, ](,| a | b |\n,|---|---|\n,---\n,===\n".split(
        ",",
      ),
      ..."word,two words,日本,\n,\n\n,  ,    ,\\,<b>,&lt;,&#27;".split(","),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 25 }), async (parts) => {
        const whole = await shown([parts.join("")]);
        expect(await shown(parts)).toBe(whole);
        expect(await shown(parts.join("").split(""))).toBe(whole);
      }),
      // A code span over two lines, which was drawn as two rows until its end arrived.
      { numRuns: 50, examples: [[["`", "# ", "```js\n", "| a | b |\n", "`"]]] },
    );
  });

  it("is shown while it arrives, with the marks that will probably close", async () => {
    const { terminal, stream } = open();
    const steps: string[] = [];
    for (const piece of ["Hel", "lo **wor", "ld", "** and `co", "de` [a](htt", "ps://b.c)"]) {
      await stream.push(piece);
      steps.push(terminal.text);
    }
    expect(steps).toEqual([
      "Hel",
      "Hello wor",
      "Hello world",
      "Hello world and co",
      "Hello world and code a (htt)",
      "Hello world and code a (https://b.c)",
    ]);
  });

  it("only adds to the row while text arrives that changes nothing", async () => {
    const { stream, written } = open();
    for (const piece of ["plain ", "words ", "arrive"]) await stream.push(piece);
    expect(written()).toBe("plain words arrive");
  });

  it("moves a word to the next row when it outgrows its own", async () => {
    const { terminal, stream } = open({ columns: 12 });
    await stream.push("one two thr");
    expect(terminal.text).toBe("one two thr");
    await stream.push("ee");
    expect(terminal.text).toBe("one two\nthree");
  });
});

describe("when the width changes, the open block", () => {
  const WORDS = "one two three four five six seven eight nine ten eleven twelve";

  it.each([
    [60, 24],
    [24, 60],
  ])("is wrapped anew, from %i to %i columns", async (from, to) => {
    const { terminal, stream } = open({ columns: from });
    await stream.push("Before.\n\n");
    await stream.push(WORDS);
    terminal.resize(to);
    await stream.push(" end.\n");
    stream.end();
    const [, fresh] = (await shown([`Before.\n\n${WORDS} end.\n`], { columns: to })).split("\n\n");
    expect(terminal.text.split("\n\n")[1]).toBe(fresh);
  });

  it("keeps its width if it is too tall to be drawn again", async () => {
    const { terminal, stream } = open({ columns: 24, rows: 4 });
    await stream.push(`${WORDS} ${WORDS}`);
    terminal.resize(60);
    await stream.push(" end.\n");
    stream.end();
    expect(terminal.text.replace(/\s+/g, " ").trim()).toBe(`${WORDS} ${WORDS} end.`);
  });
});

describe("a block that is taller than the screen", () => {
  it("is shown whole, once", async () => {
    const words = Array.from({ length: 200 }, (_, n) => `word${n}`).join(" ");
    const text = await shown(words.match(/[^]{1,9}/g) ?? [], { columns: 40, rows: 5 });
    expect(text.replace(/\s+/g, " ").trim()).toBe(words);
  });
  it("is cut if it does not end", async () => {
    const words = "word ".repeat(5000).trim();
    expect(
      (await shown([words.slice(0, 9000), words.slice(9000)])).replace(/\s+/g, " ").trim(),
    ).toBe(words);
  });
});

describe("other output", () => {
  it("ends the row of the answer, and the answer goes on below it", async () => {
    const { terminal, stream } = open();
    await stream.push("An answer **in");
    stream.interrupt();
    terminal.write("[tool] x\n");
    await stream.push("\n\nNext.\n");
    stream.end();
    expect(terminal.text).toBe("An answer **in\n[tool] x\nNext.\n");
  });
  it("may come in the middle of code, which goes on", async () => {
    const { terminal, stream } = open();
    await stream.push("```js\nlet a;\nlet b");
    stream.interrupt();
    terminal.write("dragoman: a note\n");
    await stream.push(" = 1;\n```\ntext\n");
    stream.end();
    expect(terminal.text).toBe("  let a;\n  let b\ndragoman: a note\n   = 1;\ntext\n");
  });
});

describe("above the footer of a chat", () => {
  it("finished rows are written, and the others handed over", async () => {
    let written = "";
    const drafts: (readonly string[])[] = [];
    const stream = new MarkdownStream({
      write: (text) => {
        written += text;
      },
      size: () => ({ columns: 20, rows: 10 }),
      rows: new DraftRows({ draft: ({ rows }) => void drafts.push(rows) }),
      style: plain,
      links: false,
    });
    for (const piece of ["One ", "two three four five", "\n\nNe", "xt\n"]) await stream.push(piece);
    stream.end();
    expect(written).toBe("One two three four\nfive\n\nNext\n");
    expect(drafts.filter(({ length }) => length > 0)).toEqual([
      ["One"],
      ["One two three four", "five"],
      ["Ne"],
      ["Next"],
    ]);
    expect(drafts.at(-1)).toEqual([]);
  });
});

describe("without colors", () => {
  it("the marks stay, and no style is set", async () => {
    const { terminal, stream, written } = open({ style: plain });
    await stream.push("# T\n\n**b** *i* `c` ~~d~~ [l](https://x.y)\n\n```js\nlet x;\n```\n");
    stream.end();
    expect(terminal.text).toBe("# T\n\n**b** *i* `c` ~~d~~ l (https://x.y)\n\n  let x;\n");
    expect(written()).not.toContain("\u001b[");
  });
});

describe("hostile text", () => {
  it.each([
    ["references to control characters", "a&#27;[2J&#x9b;2J&#7;b"],
    ["in code", "`a&#27;b` and\n\n```\n&#27;[2J\n```\n"],
    ["in a link", "[a&#27;[2Jb](https://x.y/&#27;]0;t&#7;)"],
    ["in an address", "[x](<https://e.vil/\u0007\u001b\\y>)"],
    ["in a table", "|a&#27;[2J|b|\n|-|-|\n|&#x202e;|c|\n"],
    ["in a language", "```&#27;[2J\nx\n```"],
    ["in a title", '# &#27;c\n\n![&#27;c](x "&#27;c")'],
  ])("cannot act on the terminal: %s", async (_case, source) => {
    const safe = new Sanitizer();
    const { stream, written } = open({ links: true });
    // The terminal throws at every sequence that it does not know.
    await stream.push(safe.push(source) + safe.end());
    stream.end();
    for (const harmful of ["\u202e", "\u009b", "\u0007"]) expect(written()).not.toContain(harmful);
  });
});

/** Writes an answer in these pieces. Returns the text and the CPU time: of all, and of the slowest piece. */
async function written(pieces: readonly string[]) {
  const size = () => ({ columns: 80, rows: 24 });
  let text = "";
  const write = (part: string): void => void (text += part);
  const rows = new LiveRows(true);
  const stream = new MarkdownStream({ write, size, rows, style: ansi, links: true });
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

/** They are repeated to texts of 7,900 characters, so that each is one open block. */
const SLOW: readonly string[] = [
  ["*a_", "_a*", "**a **a ", "_*a", "__", "a**b", "~a~~b", "é- 。~~"],
  ["[", "![", "[a](", "[a][", "[[a](b)", "`", "a`b``", "<a", "<a b='", "<!-", "!", "\\*"],
  ["~", "    ", "\t", "|a", "> a\n", "> \n  :", "- a\n  ```\n", "a\n=\n", "*a_\n", "# \na\n"],
  ["| cell *a* | `b` |\n", `${">".repeat(100)}a\n`],
  ["some words of prose, with *emphasis* and `code`. "],
].flat();

it.each(SLOW)("needs little time for each piece of %j", async (unit) => {
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
