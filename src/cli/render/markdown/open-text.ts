/**
 * A line of which nothing but a mark has arrived yet. It could become a list, a heading, an underline or
 * a fence, so it is not shown before more of it is there.
 */
const ONLY_MARKS = /(?:^|\n)[ \t]*(?:[-=*_+#>`~|: ]+|\d{1,9}[.)]?|(?:`{3,}|~{3,})[^`\n]*)$/;

/**
 * A source that is still growing, as it will probably read: without marks at its end that mean nothing
 * yet, and with emphasis, code and links closed. The next piece may prove it wrong; then the block is
 * drawn again.
 */
export function openText(source: string): string {
  const text = source.replace(ONLY_MARKS, "");
  return text + closers(text.slice(text.lastIndexOf("\n\n") + 1));
}

function closers(text: string): string {
  const outside = text.replace(/(?<!`)(`+)(?!`)[^]*?(?<!`)\1(?!`)/g, "");
  const [code] = /`+(?=[^`]*$)/.exec(outside) ?? [];
  if (code !== undefined) return code;
  if (/\[[^\]\n]*\]\([^()\s]*$/.test(outside)) return ")";
  const unescaped = outside.replace(/\\[^]/g, "").replace(/^\s*\*\s/gm, "");
  const strong = unescaped.split("**").length % 2 === 0;
  const em = unescaped.replaceAll("**", "").split("*").length % 2 === 0;
  // A mark after a space closes nothing.
  if (/\s$/.test(text)) return "";
  return `${em ? "*" : ""}${strong ? "**" : ""}`;
}
