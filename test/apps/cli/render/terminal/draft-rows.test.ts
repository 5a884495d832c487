import { expect, it } from "vitest";
import { DraftRows } from "../../../../../src/apps/cli/render/markdown/growing-rows.ts";
import { Screen } from "../../../../../src/apps/cli/render/terminal/screen.ts";
import { fakeIo } from "../../support/io.ts";

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
