/** Something that the user typed. A key has a name such as `enter`, `ctrl+a`, `alt+b` or `shift+tab`. */
export type Key =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "paste"; readonly text: string }
  | { readonly type: "key"; readonly name: string };

/** Makes the terminal mark pasted text, so that its line breaks differ from a typed Enter. */
export const MARK_PASTES = "\u001b[?2004h";
export const UNMARK_PASTES = "\u001b[?2004l";

/** More of one paste is dropped: a prompt of this size does not fit into any model. */
const MAX_PASTE = 8 * 1024 * 1024;

const ESC = "\u001b";
const PASTE_START = `${ESC}[200~`;
const PASTE_END = `${ESC}[201~`;
const CSI = new RegExp(`^${ESC}\\[([0-9;:?<=>]*)([ -/]*)([@-~])`);
const SS3 = new RegExp(`^${ESC}O([A-Za-z])`);
/** The beginning of a sequence whose end has not arrived yet. */
const UNFINISHED = new RegExp(`^${ESC}(?:O|\\[[0-9;:?<=>]{0,32}[ -/]{0,4})?$`);
const PRINTABLE = /^[^\p{Cc}]+/u;

const FINAL_KEYS: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  F: "end",
  H: "home",
  M: "enter",
  Z: "shift+tab",
};

const NUMBERED_KEYS: Readonly<Record<number, string>> = {
  1: "home",
  2: "insert",
  3: "delete",
  4: "end",
  5: "pageup",
  6: "pagedown",
  7: "home",
  8: "end",
};

const CONTROL_KEYS: Readonly<Record<string, string>> = {
  "\r": "enter",
  "\t": "tab",
  "\u007f": "backspace",
  "\b": "backspace",
  [ESC]: "escape",
};

/**
 * Turns the characters from a terminal in raw mode into keys. A sequence may arrive in pieces, so an
 * unfinished one waits for the next piece, or for `flush`.
 */
export class KeyReader {
  #waiting = "";
  #pasted: string | undefined;

  /** Whether an escape waits: it is a key of its own if nothing follows soon. */
  get isUnfinished(): boolean {
    return this.#waiting !== "" && this.#pasted === undefined;
  }

  push(piece: string): readonly Key[] {
    let rest = this.#waiting + piece;
    this.#waiting = "";
    const keys: Key[] = [];
    while (rest !== "") {
      if (this.#pasted !== undefined) {
        rest = this.#paste(rest, keys);
        continue;
      }
      if (UNFINISHED.test(rest)) {
        this.#waiting = rest;
        break;
      }
      const [key, length] = first(rest);
      rest = rest.slice(length);
      if (key === "paste") this.#pasted = "";
      else if (key !== undefined) keys.push(key);
    }
    return keys;
  }

  /** Nothing followed an escape, so it is a key. */
  flush(): readonly Key[] {
    if (!this.isUnfinished) return [];
    const [, ...typed] = this.#waiting;
    this.#waiting = "";
    const escape: Key = { type: "key", name: "escape" };
    return typed.length === 0 ? [escape] : [{ type: "key", name: `alt+${typed.join("")}` }];
  }

  /** Takes pasted text. Returns the rest, which comes after the paste. */
  #paste(rest: string, keys: Key[]): string {
    const pasted = this.#pasted ?? "";
    const end = rest.indexOf(PASTE_END);
    // The mark of the end may be cut in two.
    const cut = end === -1 ? rest.length - heldBack(rest) : end;
    this.#pasted = (pasted + rest.slice(0, cut)).slice(0, MAX_PASTE);
    if (end === -1) {
      this.#waiting = rest.slice(cut);
      return "";
    }
    keys.push({ type: "paste", text: this.#pasted.replace(/\r\n?/g, "\n") });
    this.#pasted = undefined;
    return rest.slice(end + PASTE_END.length);
  }
}

/** How many characters at the end may be the beginning of the mark that ends a paste. */
function heldBack(text: string): number {
  for (let length = Math.min(PASTE_END.length - 1, text.length); length > 0; length--)
    if (PASTE_END.startsWith(text.slice(-length))) return length;
  return 0;
}

/** The first key of a text and its length. A sequence that means nothing here is skipped. */
function first(text: string): readonly [Key | "paste" | undefined, number] {
  if (text.startsWith(PASTE_START)) return ["paste", PASTE_START.length];
  const printable = PRINTABLE.exec(text)?.[0];
  if (printable !== undefined) return [{ type: "text", text: printable }, printable.length];
  const csi = CSI.exec(text);
  if (csi !== null) {
    const name = csiKey(csi[1] ?? "", csi[3] ?? "");
    return [name === undefined ? undefined : { type: "key", name }, csi[0].length];
  }
  const ss3 = SS3.exec(text);
  if (ss3 !== null) {
    const name = FINAL_KEYS[ss3[1] ?? ""];
    return [name === undefined ? undefined : { type: "key", name }, ss3[0].length];
  }
  const [character = ""] = text;
  if (character === ESC && text.length > 1) {
    const [next = ""] = text.slice(1);
    const name = next === ESC ? "escape" : `alt+${controlKey(next) ?? next}`;
    return [{ type: "key", name }, next === ESC ? 1 : 1 + next.length];
  }
  const name = controlKey(character);
  return [name === undefined ? undefined : { type: "key", name }, character.length];
}

function controlKey(character: string): string | undefined {
  const named = CONTROL_KEYS[character];
  if (named !== undefined) return named;
  const code = character.codePointAt(0) ?? 0;
  if (code === 0) return "ctrl+space";
  // 0x1f is Ctrl-_ on every keyboard; the others are letters and a few signs.
  return code < 0x20 ? `ctrl+${String.fromCodePoint(code + 0x40).toLowerCase()}` : undefined;
}

function csiKey(params: string, final: string): string | undefined {
  const [number = 0, second = 1, third = 0] = params.split(/[;:]/).map(Number);
  if (final === "~" && number === 27) return withModifiers(codeKey(third), second);
  if (final === "u") return withModifiers(codeKey(number), second);
  const name = final === "~" ? NUMBERED_KEYS[number] : FINAL_KEYS[final];
  return withModifiers(name, second);
}

/** The key of a character code, as terminals report it for combinations that have no control character. */
function codeKey(code: number): string | undefined {
  if (!Number.isInteger(code) || code <= 0 || code > 0x10ffff) return undefined;
  const character = String.fromCodePoint(code);
  return CONTROL_KEYS[character] ?? (code < 0x20 ? undefined : character.toLowerCase());
}

/** xterm sends one plus the sum of 1 for Shift, 2 for Alt and 4 for Ctrl. */
function withModifiers(name: string | undefined, modifiers: number): string | undefined {
  if (name === undefined) return undefined;
  const bits = Number.isInteger(modifiers) && modifiers > 0 ? modifiers - 1 : 0;
  const ctrl = (bits & 4) === 0 ? "" : "ctrl+";
  const alt = (bits & 2) === 0 ? "" : "alt+";
  const shift = (bits & 1) === 0 ? "" : "shift+";
  return `${ctrl}${alt}${shift}${name}`;
}
