import { describe, expect, it } from "vitest";
import { KeyReader } from "../../../../src/apps/cli/editor/keys.ts";

const ESC = "\u001b";
const key = (name: string) => ({ type: "key", name });
const text = (typed: string) => ({ type: "text", text: typed });
const paste = (pasted: string) => ({ type: "paste", text: pasted });

describe("keys of a terminal in raw mode", () => {
  it.each([
    ["letters in one piece", ["hello"], [text("hello")]],
    ["wide characters", ["漢字"], [text("漢字")]],
    ["Enter and Ctrl-J", ["\r\n"], [key("enter"), key("ctrl+j")]],
    ["Tab, Backspace and Ctrl-H", ["\t\u007f\b"], [key("tab"), key("backspace"), key("backspace")]],
    ["Ctrl and a letter", ["\u0001\u0012\u001f"], [key("ctrl+a"), key("ctrl+r"), key("ctrl+_")]],
    ["Ctrl-Space", ["\u0000"], [key("ctrl+space")]],
    ["Alt and a letter", [`${ESC}b`], [key("alt+b")]],
    [
      "Alt-Enter and Alt-Backspace",
      [`${ESC}\r${ESC}\u007f`],
      [key("alt+enter"), key("alt+backspace")],
    ],
    ["arrows", [`${ESC}[A${ESC}OB`], [key("up"), key("down")]],
    ["arrows with Ctrl and Alt", [`${ESC}[1;5C${ESC}[1;3D`], [key("ctrl+right"), key("alt+left")]],
    [
      "Home, End and Delete",
      [`${ESC}[H${ESC}[4~${ESC}[3~`],
      [key("home"), key("end"), key("delete")],
    ],
    ["Shift-Tab", [`${ESC}[Z`], [key("shift+tab")]],
    [
      "Shift-Enter, where the terminal tells it apart",
      [`${ESC}[13;2u${ESC}[27;2;13~`],
      [key("shift+enter"), key("shift+enter")],
    ],
    ["a sequence in pieces", [ESC, "[", "1;5", "C"], [key("ctrl+right")]],
    ["a sequence that means nothing here", [`${ESC}[?62;c${ESC}[99~x`], [text("x")]],
    ["pasted text", [`${ESC}[200~a\rb\r\nc${ESC}[201~d`], [paste("a\nb\nc"), text("d")]],
    ["a paste in pieces", [`${ESC}[200~a`, `b${ESC}[20`, "1~c"], [paste("ab"), text("c")]],
    ["control sequences in a paste", [`${ESC}[200~${ESC}[A${ESC}[201~`], [paste(`${ESC}[A`)]],
  ])("%s", (_what, pieces, keys) => {
    const reader = new KeyReader();
    expect(pieces.flatMap((piece) => reader.push(piece))).toEqual(keys);
  });

  it("takes an escape for a key if nothing follows", () => {
    const reader = new KeyReader();
    expect(reader.push(ESC)).toEqual([]);
    expect(reader.isUnfinished).toBe(true);
    expect(reader.flush()).toEqual([key("escape")]);
    expect(reader.push("a")).toEqual([text("a")]);
  });
  it("takes two escapes for one, and waits for the second", () => {
    const reader = new KeyReader();
    expect(reader.push(ESC + ESC)).toEqual([key("escape")]);
    expect(reader.flush()).toEqual([key("escape")]);
  });
  it("does not take the beginning of a paste for an escape", () => {
    const reader = new KeyReader();
    expect(reader.push(`${ESC}[200~text${ESC}`)).toEqual([]);
    expect(reader.isUnfinished).toBe(false);
    expect(reader.flush()).toEqual([]);
    expect(reader.push("[201~")).toEqual([paste("text")]);
  });
});
