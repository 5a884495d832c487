import { describe, expect, it } from "vitest";
import {
  type EditorContext,
  type EditorState,
  NEW_EDITOR,
  press,
} from "../../../../src/apps/cli/editor/editor.ts";
import { KeyReader } from "../../../../src/apps/cli/editor/keys.ts";

const ESC = "\u001b";
const UP = `${ESC}[A`;
const DOWN = `${ESC}[B`;
const LEFT = `${ESC}[D`;
const HOME = `${ESC}[H`;
const ALT_ENTER = `${ESC}\r`;
const ctrl = (letter: string): string => String.fromCharCode(letter.charCodeAt(0) - 0x60);

const context: EditorContext = {
  history: ["newest", "older\nwith two lines", "oldest"],
  complete: (text, cursor) => {
    const typed = /\S*$/.exec(text.slice(0, cursor))?.[0] ?? "";
    if (!typed.startsWith("/")) return undefined;
    const items = ["/mode", "/model", "/plan"]
      .filter((word) => word.startsWith(typed))
      .map((word) => ({ word, detail: "" }));
    return { start: cursor - typed.length, items };
  },
};

/** Types keys. Returns the state and everything that is not an edit. */
function type(keys: string): { state: EditorState; events: string[]; shown: string } {
  let state = NEW_EDITOR;
  const events: string[] = [];
  const reader = new KeyReader();
  for (const key of [...reader.push(keys), ...reader.flush()]) {
    const step = press(state, key, context);
    state = step.state;
    if (step.kind === "submit") events.push(`submit ${step.text}`);
    else if (step.kind !== "edit") events.push(step.kind);
  }
  const { text, cursor } = state.buffer;
  return { state, events, shown: `${text.slice(0, cursor)}|${text.slice(cursor)}` };
}

describe("the editor", () => {
  it.each([
    ["inserts text at the cursor", `helo${LEFT}l`, "hell|o"],
    ["moves by characters as a reader counts them", `a👩‍👧b${LEFT}${LEFT}`, "a|👩‍👧b"],
    ["deletes a whole character", "a👩‍👧\u007f", "a|"],
    ["moves by words", `one two-three${ESC}b`, "one two-|three"],
    ["moves to the ends of a line", `one${ALT_ENTER}two${HOME}x`, "one\nx|two"],
    ["deletes a word", `one two three${ctrl("w")}`, "one two |"],
    [
      "deletes to the end, and brings it back",
      `one two${HOME}${ctrl("k")}x${ctrl("y")}`,
      "xone two|",
    ],
    ["deletes to the beginning", `one two${LEFT}${ctrl("u")}`, "|o"],
    [
      "joins lines with Ctrl-K at the end of the first",
      `a${ALT_ENTER}b${UP}${ctrl("e")}${ctrl("k")}`,
      "a|b",
    ],
    ["breaks lines with Alt-Enter and Ctrl-J", `a${ALT_ENTER}b\nc`, "a\nb\nc|"],
    ["breaks the line at a backslash and Enter", "a\\\rb", "a\nb|"],
    ["pastes lines without sending them", `${ESC}[200~a\rb${ESC}[201~`, "a\nb|"],
    ["moves up and down in text of several lines", `one${ALT_ENTER}three${UP}x`, "onex|\nthree"],
    ["keeps the column of wide characters", `漢字漢${ALT_ENTER}abcd${UP}`, "漢字|漢\nabcd"],
    ["takes back steps", `abc ${ctrl("w")}${String.fromCharCode(0x1f)}`, "abc |"],
    ["deletes to the right with Ctrl-D", `ab${HOME}${ctrl("d")}`, "|b"],
  ])("%s", (_what, keys, shown) => {
    expect(type(keys).shown).toBe(shown);
  });

  it.each([
    ["sends text with Enter", "hello\r", "submit hello"],
    ["ends with Ctrl-D only if there is no text", `x${ctrl("d")}\u007f${ctrl("d")}`, "end"],
    ["passes Ctrl-C on", `x${ctrl("c")}`, "interrupt"],
    ["passes Ctrl-L on", ctrl("l"), "clear"],
  ])("%s", (_what, keys, event) => {
    expect(type(keys).events).toEqual([event]);
  });

  it("is empty after a prompt is sent", () => {
    expect(type("hello\r").shown).toBe("|");
  });
});

describe("the history in the editor", () => {
  it.each([
    ["goes back", UP, "newest|"],
    [
      "goes through the lines of an entry before it goes on",
      `${UP}${UP}${UP}`,
      "older|\nwith two lines",
    ],
    ["goes on above the first line", `${UP}${UP}${UP}${UP}`, "oldest|"],
    ["stops at the oldest entry", UP.repeat(9), "oldest|"],
    ["brings back the text that was written", `mine${UP}${DOWN}`, "mine|"],
    [
      "is searched with Ctrl-R, without regard to case",
      `${ctrl("r")}OLD`,
      "older\nwith two lines|",
    ],
    ["is searched further", `${ctrl("r")}old${ctrl("r")}`, "oldest|"],
    ["keeps the last match", `${ctrl("r")}old${ctrl("r").repeat(5)}`, "oldest|"],
    ["brings back the text after a search that is left", `mine${ctrl("r")}old${ESC}`, "mine|"],
    ["takes the match with Enter, to be edited", `${ctrl("r")}oldest\r!`, "oldest!|"],
    ["takes the match with any other key", `${ctrl("r")}oldest${ctrl("a")}`, "|oldest"],
    ["widens a search", `${ctrl("r")}oldex\u007f`, "older\nwith two lines|"],
  ])("%s", (_what, keys, shown) => {
    expect(type(keys).shown).toBe(shown);
  });

  it("says that nothing was found", () => {
    expect(type(`${ctrl("r")}xyz`).state.search).toMatchObject({ query: "xyz", found: undefined });
  });
});

describe("completion in the editor", () => {
  it.each([
    ["completes the only match", "/pl\t", "/plan|"],
    ["completes as far as it is certain", "/mo\t", "/mode|"],
    ["selects one after another", "/mo\t\t\t", "/model|"],
    ["goes back to the typed word after the last", "/mo\t\t\t\t", "/mode|"],
    ["selects with the arrow keys", `/m${DOWN}${DOWN}`, "/model|"],
    ["takes the selected one with Enter, and does not send it", `/m${DOWN}\r`, "/mode|"],
    ["leaves the text as it is after Esc", `/m${ESC}`, "/m|"],
    ["offers nothing in other text", "hello\t", "hello|"],
  ])("%s", (_what, keys, shown) => {
    const typed = type(keys);
    expect(typed.shown).toBe(shown);
    expect(typed.events).toEqual([]);
  });

  it("shows what fits while the user types, without selecting it", () => {
    const { menu } = type("/mo").state;
    expect(menu?.items.map(({ word }) => word)).toEqual(["/mode", "/model"]);
    expect(menu?.index).toBe(-1);
    expect(type("/mode\r").events).toEqual(["submit /mode"]);
    expect(type(`/mo${ESC}`).state.menu).toBeUndefined();
  });
});
