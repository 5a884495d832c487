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
