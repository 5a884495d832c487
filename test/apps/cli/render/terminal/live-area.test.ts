import { describe, expect, it } from "vitest";
import {
  LiveArea,
  reflowsOnResize,
} from "../../../../../src/apps/cli/render/terminal/live-area.ts";
import { DraftRows } from "../../../../../src/apps/cli/render/markdown/stream.ts";
import { Screen } from "../../../../../src/apps/cli/render/terminal/screen.ts";
import { fakeIo } from "../../support/io.ts";

/** Erases a row, and the rows after the first. */
const ROW = "\r\u001b[K";
const REST = "\u001b[1B\u001b[J\u001b[1A";
const up = (rows: number, rest = REST): string => `\u001b[${rows}A${ROW}${rest}`;
const wide = "x".repeat(60);

describe("rows that are redrawn in place", () => {
  it.each([
    ["one row", { rows: ["abc"] }, 80, ROW],
    ["three rows", { rows: ["a", "b", "c"] }, 80, up(2)],
    ["the row of the cursor", { rows: ["a", "b", "c"], cursor: { row: 1, column: 1 } }, 80, up(1)],
    ["rows that a narrower terminal broke in two", { rows: [wide, "b"] }, 50, up(2)],
    ["wide characters, which count twice", { rows: ["漢".repeat(30), "b"] }, 50, up(2)],
    ["styles", { rows: [`\u001b[31m${"x".repeat(48)}\u001b[39m`, "b"] }, 50, up(1)],
    ["the cursor's own row", { rows: [wide], cursor: { row: 0, column: 55 } }, 50, up(1)],
    ["a wider terminal", { rows: [wide, "b"] }, 120, up(1)],
  ])("are erased: %s", (_what, rows, columns, expected) => {
    const area = new LiveArea(true);
    area.draw(rows, 80);
    expect(area.erase(columns)).toBe(expected);
    expect(area.erase(columns)).toBe("");
  });

  it("are erased on a terminal that cuts them off instead of breaking them", () => {
    const area = new LiveArea(false);
    area.draw({ rows: [wide, "b"] }, 80);
    expect(area.erase(50)).toBe(up(1));
  });

  it.each([
    ["a row that changed", ["a", "x", "c"], "\u001b[1A\r\u001b[Kx\r\n\r\u001b[1C"],
    ["more rows", ["a", "b", "c", "d"], "\r\nd"],
    ["fewer rows", ["a", "b"], "\r\u001b[J\u001b[1A\r\u001b[1C"],
    ["the same rows", ["a", "b", "c"], ""],
    ["more text in the last row", ["a", "b", "cd"], "d"],
  ])("write only what differs: %s", (_what, rows, expected) => {
    const area = new LiveArea(true);
    area.draw({ rows: ["a", "b", "c"] }, 80);
    expect(area.redraw({ rows }, 80)).toBe(expected);
  });

  it("are drawn as a whole when the width has changed", () => {
    const area = new LiveArea(true);
    area.draw({ rows: ["a", "b"] }, 80);
    expect(area.redraw({ rows: ["a", "b"] }, 50)).toBe(`\u001b[1A\r\u001b[K${REST}a\r\nb`);
  });

  it("leave the cursor where it belongs", () => {
    const area = new LiveArea(true);
    expect(area.draw({ rows: ["a", "b", "c"], cursor: { row: 1, column: 4 } }, 80)).toBe(
      "a\r\nb\r\nc\u001b[1A\r\u001b[4C",
    );
  });

  it.each([
    [{}, true],
    [{ TERM: "linux" }, false],
    [{ XTERM_VERSION: "XTerm(379)" }, false],
    [{ XTERM_VERSION: "XTerm(379)", TMUX: "/tmp/tmux" }, true],
  ])("know whether the terminal breaks rows anew: %j", (env, expected) => {
    expect(reflowsOnResize(env)).toBe(expected);
  });
});

const rows = (...texts: string[]) => texts.map((text) => ({ text }));
const SIZE = { columns: 80, rows: 12 };
const FOOTER = { rows: () => ({ rows: ["> "] }), pause: () => {}, resume: () => {} };

it("shows the rows of a growing block above the footer, and writes only those that are final", () => {
  const io = fakeIo({ stdoutTty: true, stderrTty: true });
  const screen = new Screen(io, { spinner: false, onClosed: () => {} });
  screen.setFooter(FOOTER);
  const draft = new DraftRows(screen);
  screen.answer(draft.update(rows("one"), SIZE));
  screen.answer(draft.update(rows("one", "two"), SIZE));
  expect(io.out.text).toBe("");
  expect(io.err.text).toContain("two");
  const many = rows(..."abcdefghij".split(""));
  screen.answer(draft.update(many, SIZE));
  expect(io.out.text).toBe("a\nb\nc\nd\n");
  // Rows that are final keep their width.
  expect(draft.columnsFor({ columns: 50, rows: 24 })).toBe(80);
  screen.answer(draft.finish([...many, { text: "k" }]));
  expect(io.out.text).toBe("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\n");
  expect(draft.columnsFor({ columns: 50, rows: 24 })).toBe(50);
  screen.dispose();
});
