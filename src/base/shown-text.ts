/**
 * Makes text of unknown origin harmless to a terminal. Nothing is hidden: characters that could move
 * the cursor, set the title, write the clipboard or change the direction of text become visible.
 * Plain color sequences are removed, because they hide nothing and would only be clutter.
 */
export function sanitize(text: string): string {
  return text.replace(COLOR, "").replace(/\r\n/g, "\n").replace(UNSAFE, visible);
}

/** The same for a single line: line breaks and tabs become spaces. */
export function sanitizeLine(text: string): string {
  return sanitize(text).replace(/[\n\t\u2028\u2029]+/g, " ");
}

/**
 * The same for JSON, whose value stays equal: the characters become `\u....` escapes. JSON allows
 * them only inside strings, except for the carriage return, which means nothing outside of them.
 */
export function sanitizeJson(json: string): string {
  return json.replace(/\r/g, " ").replace(UNSAFE, escaped);
}

/**
 * The same for text that arrives in pieces. A `\r` or an unfinished color sequence at the end of a
 * piece is held back until the next one.
 */
export class Sanitizer {
  #waiting = "";

  push(piece: string): string {
    const text = this.#waiting + piece;
    const cut = text.length - (UNFINISHED.exec(text)?.[0].length ?? 0);
    this.#waiting = text.slice(cut);
    return sanitize(text.slice(0, cut));
  }

  /** Returns the text that was held back. */
  end(): string {
    const rest = this.#waiting;
    this.#waiting = "";
    return sanitize(rest);
  }
}

const MAX_WAITING = 24;
const ESCAPE = "\u001b";
const COLOR = new RegExp(`${ESCAPE}\\[[0-9;:]*m`, "g");
const UNFINISHED = new RegExp(`(?:\\r|${ESCAPE}(?:\\[[0-9;:]{0,${MAX_WAITING}})?)$`);

/**
 * C0 except tab and newline, DEL, C1; marks and overrides of text direction; line and paragraph
 * separators; invisible characters; the invisible tag characters.
 */
const UNSAFE =
  /(?![\t\n])\p{Cc}|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

const CONTROL_PICTURES = 0x2400;
const PICTURE_OF_DELETE = "\u2421";
const DELETE = 0x7f;
const LAST_C0 = 0x1f;

function visible(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code <= LAST_C0) return String.fromCodePoint(CONTROL_PICTURES + code);
  if (code === DELETE) return PICTURE_OF_DELETE;
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}

function escaped(character: string): string {
  return character.replace(
    /[^]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text that is only text in HTML, in elements and attributes. Control characters are replaced. */
export function escapeHtml(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "")
    .replace(/[^\P{Control}\t\n]/gu, "\ufffd")
    .replace(BIDI, (character) => `&#x${character.codePointAt(0)?.toString(16) ?? ""};`);
}

/** Characters that change the direction of text. They are kept, but visible in the source. */
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A number with its noun: "1 file", "2 files". Pure. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
