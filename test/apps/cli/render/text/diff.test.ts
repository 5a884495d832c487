import { describe, expect, it } from "vitest";
import { diffLines } from "../../../../../src/apps/cli/render/text/diff.ts";
import { ansi, plain } from "../../../../../src/apps/cli/render/terminal/style.ts";

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

  it("colours removed and added lines", async () => {
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
