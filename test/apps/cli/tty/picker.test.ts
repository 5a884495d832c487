import { describe, expect, it } from "vitest";
import { KeyReader } from "../../../../src/apps/cli/editor/keys.ts";
import { Asker } from "../../../../src/apps/cli/tty/asker.ts";
import { openPicker, pick, pickerRows, pressPicker } from "../../../../src/apps/cli/tty/picker.ts";
import { Screen } from "../../../../src/apps/cli/render/terminal/screen.ts";
import { columnsOf } from "../../../../src/apps/cli/render/terminal/columns.ts";
import { FakeTerminal, fakeIo } from "../support/io.ts";

const items = [
  { label: "fix the parser", detail: "2 h ago", value: "a" },
  { label: "write docs", detail: "yesterday", value: "b" },
  { label: "漢字の修正", detail: "last week", value: "c" },
];
const UP = "\u001b[A";
const DOWN = "\u001b[B";

/** Presses keys. Returns the value that was picked, `left`, or `open`. */
function press(typed: string): string {
  let state = openPicker(items);
  const reader = new KeyReader();
  for (const key of [...reader.push(typed), ...reader.flush()]) {
    const step = pressPicker(state, key);
    if (step.kind === "picked") return step.item.value;
    if (step.kind === "left") return "left";
    state = step.state;
  }
  return "open";
}

describe("a picker", () => {
  it.each([
    ["Enter picks the first", "\r", "a"],
    ["arrows move", `${DOWN}${DOWN}${UP}\r`, "b"],
    ["arrows stop at the ends", `${DOWN}${DOWN}${DOWN}${DOWN}\r`, "c"],
    ["typing filters by every word, in label and detail", "yester WRITE\r", "b"],
    ["Backspace widens the filter", "docsx\u007f\r", "b"],
    ["Enter does nothing if nothing matches", "nothing\r", "open"],
    ["Ctrl-U clears the filter", "nothing\u0015\r", "a"],
    ["Esc leaves", "\u001b", "left"],
    ["Ctrl-C leaves", "\u0003", "left"],
    ["Ctrl-D leaves", "\u0004", "left"],
  ])("%s", (_what, typed, result) => {
    expect(press(typed)).toBe(result);
  });

  it.each([20, 50, 80, 120])("fits into %i columns, and its details align", (columns) => {
    const { rows } = pickerRows(openPicker(items), { columns, rows: 24 }, { title: "pick" });
    for (const row of rows) expect(columnsOf(row)).toBeLessThan(columns);
    const details = rows.flatMap((row) => {
      const at = row.search(/2 h ago|yesterday|last week/);
      return at === -1 ? [] : [columnsOf(row.slice(0, at))];
    });
    expect(new Set(details).size).toBeLessThanOrEqual(1);
  });

  it("shows only as many items as the terminal has room for, around the selected one", () => {
    const many = Array.from({ length: 100 }, (_, n) => ({ label: `n${n}`, detail: "", value: n }));
    const { rows } = pickerRows(openPicker(many, 50), { columns: 80, rows: 10 }, { title: "pick" });
    expect(rows.length).toBeLessThan(10);
    expect(rows.join("\n")).toContain("› n50");
    expect(rows.join("\n")).toContain("51/100");
  });

  it("makes its items safe to show", () => {
    const evil = [{ label: "a\u001b[2Jb", detail: "\u202e", value: 1 }];
    const { rows } = pickerRows(openPicker(evil), { columns: 80, rows: 24 }, { title: "t\u0007" });
    expect(rows.join("\n")).toContain("a␛[2Jb  <U+202E>");
    expect(rows[0]).toBe("t␇");
  });
});

describe("a picker on a terminal", () => {
  const open = (env = {}) => {
    const terminal = new FakeTerminal();
    const io = fakeIo({ terminal, env });
    const screen = new Screen(io, { spinner: false, onClosed: () => {} });
    return { terminal, asker: new Asker(io, screen, { apart: false }) };
  };

  it("reads keys in raw mode, and restores the normal mode", async () => {
    const { terminal, asker } = open();
    const picked = pick(asker, items, { title: "pick" });
    await terminal.output.waitFor("› fix");
    terminal.type(`${DOWN}\r`);
    expect(await picked).toBe("b");
    expect(terminal.raw).toEqual([true, false]);
  });
  it("is left when its signal is aborted", async () => {
    const { terminal, asker } = open();
    const controller = new AbortController();
    const picked = pick(asker, items, { title: "pick", signal: controller.signal });
    await terminal.output.waitFor("› fix");
    controller.abort();
    expect(await picked).toBeUndefined();
    expect(terminal.raw).toEqual([true, false]);
  });
  it("is a numbered list on a dumb terminal", async () => {
    const { terminal, asker } = open({ TERM: "dumb" });
    const picked = pick(asker, items, { title: "pick" });
    await terminal.output.waitFor("Choose 1-3");
    terminal.type("2\n");
    expect(await picked).toBe("b");
    expect(terminal.output.text).not.toContain("\u001b");
  });
  it("picks nothing of nothing", async () => {
    const { asker, terminal } = open();
    expect(await pick(asker, [], { title: "pick" })).toBeUndefined();
    expect(terminal.opened).toBe(0);
  });
});
