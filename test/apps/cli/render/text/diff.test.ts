import { describe, expect, it } from "vitest";
import { diffLines } from "../../../../../src/apps/cli/render/text/diff.ts";
import { ansi, plain, type Style } from "../../../../../src/apps/cli/render/terminal/style.ts";
import { compared } from "../../../../../src/apps/cli/render/text/diff-colors.ts";

describe("a printed diff", () => {
  it("shows the changes with context", async () => {
    const diff = { path: "a", oldText: "1\n2\n3\n4\n5\n6\n", newText: "1\n2\n3\nfour\n5\n6\n" };
    expect(await diffLines(diff, plain, 50)).toEqual({
      added: 1,
      removed: 1,
      lines: ["@@ -2,5 +2,5 @@", " 2", " 3", "-4", "+four", " 5", " 6"],
    });
  });

  it("shows all lines of a new file as added", async () => {
    expect(await diffLines({ path: "a", oldText: null, newText: "x" }, plain, 50)).toEqual({
      added: 1,
      removed: 0,
      lines: ["@@ -1,0 +1,1 @@", "+x"],
    });
  });

  it("colors removed and added lines", async () => {
    const { lines } = await diffLines({ path: "a", oldText: "x\n", newText: "y\n" }, ansi, 50);
    expect(lines.slice(1)).toEqual(["\u001b[31m-x\u001b[39m", "\u001b[32m+y\u001b[39m"]);
  });

  it("is safe for a terminal", async () => {
    const { lines } = await diffLines({ path: "a", newText: "\u001b[2J\u202e" }, plain, 50);
    expect(lines.at(-1)).toBe("+␛[2J<U+202E>");
  });

  it("ends at the limit with the number of lines left", async () => {
    const newText = Array.from({ length: 30 }, (_, n) => `line ${n}`).join("\n");
    const { lines, added } = await diffLines({ path: "a", newText }, plain, 5);
    expect(added).toBe(30);
    expect(lines).toHaveLength(6);
    expect(lines.at(-1)).toBe("… 26 more lines");
  });

  it("only counts lines if comparing them would take too long", async () => {
    const text = (word: string): string =>
      Array.from({ length: 6000 }, (_, n) => `${word} ${n}`).join("\n");
    const diff = { path: "a", oldText: text("old"), newText: text("new") };
    expect(await diffLines(diff, plain, 50)).toEqual({ added: 6000, removed: 6000, lines: [] });
  });
});

/** Names the styles instead of setting them. */
const named: Style = (name, text) => `<${name}>${text}</${name}>`;

describe("a diff in colors", () => {
  it("marks the words that changed within a line, in the colors of the language", async () => {
    const diff = { path: "a.ts", oldText: "const a = 1; // x\n", newText: "const b = 1; // x\n" };
    expect((await diffLines(diff, named, 60)).lines.slice(1)).toEqual([
      "<red>-</red><magenta>const</magenta><red> </red><red><inverse>a</inverse></red><red> = </red><cyan>1</cyan><red>; </red><red><dim>// x</dim></red>",
      "<green>+</green><magenta>const</magenta><green> </green><green><inverse>b</inverse></green><green> = </green><cyan>1</cyan><green>; </green><green><dim>// x</dim></green>",
    ]);
  });
  it("has the colors of a language that begin before the change", async () => {
    const diff = {
      path: "a.js",
      oldText: "/*\none\ntwo\nthree\n*/",
      newText: "/*\none\ntwo\n3\n*/",
    };
    const { lines } = await diffLines(diff, named, 60);
    expect(lines).toContain(" <dim>two</dim>");
    expect(lines).toContain("<green>+</green><green><dim>3</dim></green>");
  });
  it("of an unknown language has the colors of a diff only", async () => {
    const diff = { path: "a.txt", oldText: "one\n", newText: "2\n" };
    expect((await diffLines(diff, ansi, 60)).lines).toEqual([
      "\u001b[36m@@ -1,1 +1,1 @@\u001b[39m",
      "\u001b[31m-one\u001b[39m",
      "\u001b[32m+2\u001b[39m",
    ]);
  });
  it("cannot act on the terminal", async () => {
    const diff = { path: "a.js", oldText: "let a\u001b[2J = 1;", newText: "let a\u202e = 2;" };
    const text = (await diffLines(diff, named, 60)).lines.join("\n");
    for (const harmful of ["\u001b", "\u202e"]) expect(text).not.toContain(harmful);
    expect(text).toContain("␛");
  });
  it("counts all changes, and shows only so many lines", async () => {
    const newText = Array.from({ length: 100 }, (_, n) => `let x${n};\n`).join("");
    const { added, removed, lines } = await diffLines({ path: "a.js", newText }, named, 5);
    expect({ added, removed, count: lines.length }).toEqual({ added: 100, removed: 0, count: 6 });
    expect(lines.at(-1)).toBe("<dim>… 96 more lines</dim>");
  });
});

describe("the words in which two lines differ", () => {
  it.each([
    ["a b c", "a x c", { old: [[2, 3]], now: [[2, 3]] }],
    ["a b", "a b c", { old: [], now: [[3, 5]] }],
    ["one", "two", undefined],
    ["", "x", undefined],
    ["x".repeat(600), "x".repeat(601), undefined],
  ])("%j and %j", (a, b, ranges) => {
    expect(compared(a, b)).toEqual(ranges);
  });
});
