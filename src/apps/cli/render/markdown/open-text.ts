/**
 * A line of which nothing but a mark has arrived yet. It could become a list, a heading, an underline or
 * a fence, so it is not shown before more of it is there.
 */
const ONLY_MARKS =
  /^(?:[ \t]+|[ \t]*(?:[-=*_+#>`~|:][-=*_+#>`~|: ]*|\d{1,9}[.)]?|(?:`{3,}|~{3,})[^`\n]*))$/;

/**
 * A source that is still growing, as it will probably read: without marks at its end that mean nothing
 * yet, and with emphasis, code and links closed. The next piece may prove it wrong; then the block is
 * drawn again. The time must not grow with the square of the length, so no expression here may look for
 * its end from many places.
 */
export function openText(source: string): string {
  const end = source.lastIndexOf("\n");
  const text = ONLY_MARKS.test(source.slice(end + 1)) ? source.slice(0, Math.max(0, end)) : source;
  return text + closers(text.slice(text.lastIndexOf("\n\n") + 1));
}

function closers(text: string): string {
  const outside = text.replace(/(?<!`)(`+)(?!`)[^]*?(?<!`)\1(?!`)/g, "");
  const [code] = /(?<!`)`+(?=[^`]*$)/.exec(outside) ?? [];
  if (code !== undefined) return code;
  if (endsInAddress(outside)) return ")";
  const unescaped = outside.replace(/\\[^]/g, "").replace(/^[ \t]*\*\s/gm, "");
  const strong = unescaped.split("**").length % 2 === 0;
  const em = unescaped.replaceAll("**", "").split("*").length % 2 === 0;
  // A mark after a space closes nothing.
  if (/\s$/.test(text)) return "";
  return `${em ? "*" : ""}${strong ? "**" : ""}`;
}

/** Whether the text ends in the address of a link, as in `[a](b`. */
function endsInAddress(text: string): boolean {
  const at = /\]\([^()\s]*$/.exec(text)?.index ?? -1;
  const before = text.slice(0, Math.max(0, at));
  const closed = Math.max(before.lastIndexOf("]"), before.lastIndexOf("\n"));
  return before.lastIndexOf("[") > closed;
}
