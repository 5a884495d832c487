import {
  type EditBuffer,
  bufferOf,
  EMPTY,
  insert,
  leftOf,
  lineAbove,
  lineBelow,
  lineEnd,
  lineStart,
  removeTo,
  rightOf,
  spaceLeft,
  wordLeft,
  wordRight,
} from "./buffer.ts";
import type { Key } from "./keys.ts";

/** The search through the history that Ctrl-R opens. */
interface Search {
  readonly query: string;
  /** The entry that was found; undefined if none contains the query. */
  readonly found: number | undefined;
  /** The text before the search, which Esc brings back. */
  readonly before: EditBuffer;
}

export interface EditorState {
  readonly buffer: EditBuffer;
  /** The entry of the history that is shown; -1 for the text that the user writes. */
  readonly entry: number;
  /** The text that the user had written before going back in the history. */
  readonly written: string;
  /** The text that was removed last, for Ctrl-Y. */
  readonly removed: string;
  readonly earlier: readonly EditBuffer[];
  readonly menu: Menu | undefined;
  readonly search: Search | undefined;
}

export const NEW_EDITOR: EditorState = {
  buffer: EMPTY,
  entry: -1,
  written: "",
  removed: "",
  earlier: [],
  menu: undefined,
  search: undefined,
};

export interface EditorContext {
  /** Earlier prompts, newest first. */
  readonly history: readonly string[];
  /** Completions at the cursor. Called while the user types, and for Tab. */
  readonly complete: (text: string, cursor: number, isTab: boolean) => Completions | undefined;
}

/** The effect of a key: it edits the text, sends it, or means something outside the text. */
export type EditorStep =
  | { readonly kind: "edit"; readonly state: EditorState }
  | { readonly kind: "submit"; readonly state: EditorState; readonly text: string }
  | { readonly kind: "interrupt" | "end" | "clear"; readonly state: EditorState };

/** How many steps Ctrl-_ can take back, and how many characters they may hold. */
const UNDO_STEPS = 100;
const UNDO_CHARS = 4 * 1024 * 1024;

/** Applies a key to the editor. Pure, except for the files that `complete` reads. */
export function press(state: EditorState, key: Key, context: EditorContext): EditorStep {
  if (state.search !== undefined) return pressSearch(state, state.search, key, context);
  if (key.type === "paste") return edit(changed(state, insert(state.buffer, key.text)));
  if (key.type === "text")
    return edit(withHints(changed(state, insert(state.buffer, key.text)), context));
  const { menu } = state;
  if (menu !== undefined) {
    const step = pressMenu(state, menu, key.name);
    if (step !== undefined) return step;
  }
  return pressKey({ ...state, menu: undefined }, key.name, context);
}

/** A menu takes the arrow keys, Tab, Esc, and Enter if something is selected. */
function pressMenu(state: EditorState, menu: Menu, name: string): EditorStep | undefined {
  switch (name) {
    case "down":
    case "ctrl+n":
      return edit(selected(state, moveIn(menu, 1)));
    case "up":
    case "ctrl+p":
    case "shift+tab":
      return edit(selected(state, moveIn(menu, -1)));
    case "tab": {
      const { start, items, typed } = menu;
      const prefix = commonPrefix(items.map(({ word }) => word));
      if (menu.index === -1 && prefix.length > typed.length && prefix.startsWith(typed)) {
        const next = replaced(state, start, prefix);
        const isOnly = items.length === 1;
        return edit({ ...next, menu: isOnly ? undefined : { ...menu, typed: prefix } });
      }
      return edit(selected(state, moveIn(menu, 1)));
    }
    case "enter":
      return menu.index === -1 ? undefined : edit({ ...state, menu: undefined });
    case "escape":
      return edit({ ...state, menu: undefined });
    default:
      return undefined;
  }
}

function selected(state: EditorState, menu: Menu): EditorState {
  const word = menu.items[menu.index]?.word ?? menu.typed;
  return { ...replaced(state, menu.start, word), menu };
}

function replaced(state: EditorState, start: number, word: string): EditorState {
  return changed(state, insert(removeTo(state.buffer, start), word));
}

function pressKey(state: EditorState, name: string, context: EditorContext): EditorStep {
  const { buffer } = state;
  const move = MOVES[name];
  if (move !== undefined) return edit({ ...state, buffer: { ...buffer, cursor: move(buffer) } });
  const removal = REMOVALS[name];
  if (removal !== undefined && !(name === "ctrl+d" && buffer.text === "")) {
    const to = removal(buffer);
    const next = changed(state, removeTo(buffer, to));
    if (name.endsWith("backspace") || name === "delete" || name === "ctrl+d")
      return edit(withHints(next, context));
    const removed = buffer.text.slice(Math.min(to, buffer.cursor), Math.max(to, buffer.cursor));
    return edit(removed === "" ? next : { ...next, removed });
  }
  switch (name) {
    case "enter":
      return enter(state);
    case "ctrl+j":
    case "alt+enter":
    case "shift+enter":
    case "ctrl+enter":
      return edit(changed(state, insert(buffer, "\n")));
    case "tab":
      return edit(tab(state, context));
    case "up":
    case "ctrl+p":
      return edit(vertically(state, lineAbove(buffer), 1, context));
    case "down":
    case "ctrl+n":
      return edit(vertically(state, lineBelow(buffer), -1, context));
    case "ctrl+y":
      return edit(changed(state, insert(buffer, state.removed)));
    case "ctrl+_":
      return edit(undone(state));
    case "ctrl+r":
      return edit({ ...state, search: { query: "", found: undefined, before: buffer } });
    case "ctrl+c":
      return { kind: "interrupt", state };
    case "ctrl+d":
      return { kind: "end", state };
    case "ctrl+l":
      return { kind: "clear", state };
    default:
      return edit(state);
  }
}

const MOVES: Readonly<Record<string, (buffer: EditBuffer) => number>> = {
  left: leftOf,
  "ctrl+b": leftOf,
  right: rightOf,
  "ctrl+f": rightOf,
  "ctrl+left": wordLeft,
  "alt+left": wordLeft,
  "alt+b": wordLeft,
  "ctrl+right": wordRight,
  "alt+right": wordRight,
  "alt+f": wordRight,
  home: lineStart,
  "ctrl+a": lineStart,
  end: lineEnd,
  "ctrl+e": lineEnd,
  "alt+<": () => 0,
  "alt+>": ({ text }) => text.length,
};

/** The text between the cursor and these positions is removed. */
const REMOVALS: Readonly<Record<string, (buffer: EditBuffer) => number>> = {
  backspace: leftOf,
  "shift+backspace": leftOf,
  delete: rightOf,
  "ctrl+d": rightOf,
  "alt+backspace": wordLeft,
  "ctrl+w": spaceLeft,
  "alt+d": wordRight,
  "ctrl+u": lineStart,
  // At the end of a line, the line break goes.
  "ctrl+k": (buffer) => {
    const end = lineEnd(buffer);
    return end === buffer.cursor ? rightOf(buffer) : end;
  },
};

/** Sends the text. A `\` before the cursor at the end continues the text on the next line instead. */
function enter(state: EditorState): EditorStep {
  const { text, cursor } = state.buffer;
  if (cursor === text.length && text.endsWith("\\"))
    return edit(changed(state, insert(removeTo(state.buffer, cursor - 1), "\n")));
  return { kind: "submit", text, state: { ...NEW_EDITOR, removed: state.removed } };
}

/** Moves to another line, or in the first and the last line to another entry of the history. */
function vertically(
  state: EditorState,
  position: number | undefined,
  step: 1 | -1,
  { history }: EditorContext,
): EditorState {
  const { buffer, entry } = state;
  if (position !== undefined) return { ...state, buffer: { ...buffer, cursor: position } };
  const next = entry + step;
  if (next < -1 || next >= history.length) return state;
  const written = entry === -1 ? buffer.text : state.written;
  return { ...state, buffer: bufferOf(history[next] ?? written), entry: next, written };
}

/** Completes the word at the cursor as far as it is certain, and shows the rest as a menu. */
function tab(state: EditorState, context: EditorContext): EditorState {
  const { text, cursor } = state.buffer;
  const found = context.complete(text, cursor, true);
  if (found === undefined || found.items.length === 0) return state;
  const menu: Menu = { ...found, typed: text.slice(found.start, cursor), index: -1 };
  const step = pressMenu({ ...state, menu }, menu, "tab");
  return step?.state ?? state;
}

function withHints(state: EditorState, { complete }: EditorContext): EditorState {
  const { text, cursor } = state.buffer;
  const found = complete(text, cursor, false);
  if (found === undefined || found.items.length === 0) return { ...state, menu: undefined };
  return { ...state, menu: { ...found, typed: text.slice(found.start, cursor), index: -1 } };
}

function pressSearch(
  state: EditorState,
  search: Search,
  key: Key,
  { history }: EditorContext,
): EditorStep {
  const at = (query: string, from: number): EditorStep => {
    const found = query === "" ? undefined : searchFrom(history, query, from);
    const text = found === undefined ? undefined : history[found];
    const buffer = text === undefined ? search.before : bufferOf(text);
    return edit({ ...state, buffer, search: { ...search, query, found } });
  };
  if (key.type !== "key")
    return at(search.query + key.text.replace(/\s+/g, " "), search.found ?? 0);
  switch (key.name) {
    case "ctrl+r": {
      const next = searchFrom(history, search.query, (search.found ?? -1) + 1);
      return next === undefined ? edit(state) : at(search.query, next);
    }
    case "backspace":
      return at(search.query.slice(0, leftOf(bufferOf(search.query))), 0);
    case "escape":
    case "ctrl+g":
    case "ctrl+c":
      return edit({ ...state, buffer: search.before, search: undefined });
    default: {
      // Every other key edits the entry that was found.
      const next = changed({ ...state, buffer: search.before, search: undefined }, state.buffer);
      if (key.name === "enter" || key.name === "tab") return edit(next);
      return pressKey(next, key.name, { history, complete: () => undefined });
    }
  }
}

/** The next entry from a position on that contains the text, without regard to case. */
function searchFrom(history: readonly string[], query: string, from: number): number | undefined {
  const wanted = query.toLowerCase();
  for (let index = Math.max(0, from); index < history.length; index++)
    if (history[index]?.toLowerCase().includes(wanted)) return index;
  return undefined;
}

function undone(state: EditorState): EditorState {
  const [last, ...earlier] = state.earlier;
  return last === undefined ? state : { ...state, buffer: last, earlier, menu: undefined };
}

function changed(state: EditorState, buffer: EditBuffer): EditorState {
  if (buffer.text === state.buffer.text) return { ...state, buffer };
  let chars = 0;
  const earlier = [state.buffer, ...state.earlier]
    .slice(0, UNDO_STEPS)
    .filter(({ text }) => (chars += text.length) <= UNDO_CHARS);
  return { ...state, buffer, earlier, menu: undefined };
}

function edit(state: EditorState): EditorStep {
  return { kind: "edit", state };
}

export interface Completion {
  readonly word: string;
  readonly detail: string;
}

/** Completions for the text between `start` and the cursor. */
export interface Completions {
  readonly start: number;
  readonly items: readonly Completion[];
}

/** The completions on the screen. Nothing is selected until a key selects it. */
interface Menu extends Completions {
  /** The word that the user typed, which comes back when nothing is selected. */
  readonly typed: string;
  /** -1 if none is selected. */
  readonly index: number;
}

function commonPrefix(words: readonly string[]): string {
  const [first = "", ...rest] = words;
  let length = first.length;
  for (const word of rest) {
    while (!word.startsWith(first.slice(0, length))) length--;
  }
  return first.slice(0, length);
}

/** Selects the next or the previous completion. After the last one, none is selected. */
function moveIn(menu: Menu, step: 1 | -1): Menu {
  const places = menu.items.length + 1;
  return { ...menu, index: ((menu.index + 1 + step + places) % places) - 1 };
}
