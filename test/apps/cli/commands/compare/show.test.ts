import { describe, expect, it } from "vitest";
import {
  type Compared,
  comparisonText,
} from "../../../../../src/apps/cli/commands/compare/show.ts";
import { columnsOf } from "../../../../../src/apps/cli/render/terminal/columns.ts";
import { wrapWords } from "../../../../../src/apps/cli/render/terminal/spans.ts";
import { ansi, plain } from "../../../../../src/apps/cli/render/terminal/style.ts";

const outcome = (agent: string, fields: Partial<Compared> = {}): Compared => ({
  agent,
  ok: true,
  exitCode: 0,
  text: "",
  truncated: undefined,
  stopReason: "end_turn",
  durationMs: 1234,
  usage: null,
  toolCalls: 0,
  denied: 0,
  files: [],
  diff: "",
  diffTruncated: false,
  error: null,
  ...fields,
});
const all = [
  outcome("first", {
    text: "漢字の答えです。 ".repeat(12),
    usage: { used: 1500, size: 0, cost: { amount: 0.12, currency: "USD" } },
    files: [
      { path: "src/a.ts", added: 1, removed: 2 },
      { path: "logo.png", added: undefined, removed: undefined },
    ],
    diff: "diff --git a/src/a.ts b/src/a.ts\n@@ -1,2 +1 @@\n-old\n-gone\n+\tnew\n",
  }),
  outcome("second", { text: "A much shorter answer.\n\nWith two paragraphs.\n" }),
];

describe("a comparison", () => {
  it.each([50, 80, 120])("fits into a terminal of %i columns", (columns) => {
    const text = comparisonText(all, { columns, style: plain });
    const widths = text.split("\n").slice(4).map(columnsOf);
    // Without columns of their own, long lines are wrapped by the terminal.
    if (columns >= 80) expect(Math.max(...widths)).toBeLessThanOrEqual(columns);
    expect(text.includes(" │ ")).toBe(columns >= 80);
  });

  it("aligns the agents next to each other, also with wide characters", () => {
    const rows = comparisonText(all, { columns: 80, style: plain }).split("\n");
    const borders = rows.flatMap((row) => {
      const at = row.indexOf("│");
      return at === -1 ? [] : [columnsOf(row.slice(0, at))];
    });
    expect(borders.length).toBeGreaterThan(5);
    expect(new Set(borders).size).toBe(1);
  });

  it("leaves out what is not known", () => {
    const [head, ...rows] = comparisonText(all, { columns: 80, style: plain }).split("\n");
    expect(head).toBe("AGENT   RESULT  TIME   TOKENS  COST      TOOLS  FILES  LINES");
    expect(rows.slice(0, 2)).toEqual([
      "first   done    1.2 s  1500    0.12 USD  0      2      +1 -2",
      "second  done    1.2 s  -       -         0      0      +0 -0",
    ]);
  });

  it("keeps an answer in a pipe exactly as it is, and makes it safe on a terminal", () => {
    const evil = [outcome("a", { text: "x\u001b[2Jy" }), outcome("b")];
    expect(comparisonText(evil, { columns: undefined, style: plain })).toContain("x\u001b[2Jy");
    expect(comparisonText(evil, { columns: 80, style: plain })).not.toContain("\u001b");
    expect(comparisonText(evil, { columns: 50, style: plain })).not.toContain("\u001b");
  });

  it("never lets a name, a path or an error act on a terminal", () => {
    const evil = "\u001b]0;owned\u0007";
    const bad = outcome(evil, {
      files: [{ path: evil, added: 1, removed: 0 }],
      diff: `+${evil}`,
      error: { kind: "died", what: evil },
      ok: false,
      exitCode: 8,
    });
    for (const columns of [50, 120])
      expect(comparisonText([bad, outcome("b")], { columns, style: plain })).not.toContain(
        "\u001b",
      );
  });

  it("colors the lines of a diff, and not its width", () => {
    const text = comparisonText(all, { columns: 120, style: ansi });
    expect(text).toContain("\u001b[32m+    new\u001b[39m");
    expect(text).toContain("\u001b[31m-old\u001b[39m");
  });

  it("says that an agent has no answer or no changes", () => {
    const text = comparisonText([all[0] ?? outcome("x"), outcome("b")], {
      columns: undefined,
      style: plain,
    });
    expect(text).toContain("== b: answer\n(no answer)");
    expect(text).toContain("== b: changes\n(no changes)");
  });
});

describe("wrapping", () => {
  it.each([
    ["one two three", 7, ["one two", "three"]],
    ["abcdefgh", 3, ["abc", "def", "gh"]],
    ["漢字漢字", 5, ["漢字", "漢字"]],
    ["", 5, [""]],
    ["a\tb", 20, ["a    b"]],
    ["  indented text here", 10, ["  indented", "text here"]],
  ])("breaks %j at %i columns", (line, width, pieces) => {
    expect(wrapWords(line, width)).toEqual(pieces);
  });
});
