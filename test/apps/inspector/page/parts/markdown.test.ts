import { describe, expect, it } from "vitest";
import { markdown } from "../../../../../src/apps/inspector/page/parts/markdown.ts";

/** The HTML that a text becomes, without the space between elements. */
function drawn(text: string): string {
  return htmlOf(markdown(text))
    .replaceAll(/\n\s*>/g, ">")
    .replaceAll(/\n\s+(?=[a-z-]+=)/g, " ")
    .replaceAll(/\n\s*/g, "")
    .replaceAll(/ (?:target|rel|tabindex|role)="[^"]*"/g, "")
    .replace(/^<div class="markdown">(.*)<\/div>$/s, "$1");
}

function htmlOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(htmlOf).join("");
  if (typeof value !== "object" || value === null || !("strings" in value) || !("values" in value))
    return String(value).replaceAll("<", "&lt;").replaceAll("\n", "⏎");
  const [strings, values] = [value.strings, value.values];
  if (!Array.isArray(strings) || !Array.isArray(values)) throw new TypeError("not a template");
  return strings
    .map((text: string, index) =>
      text.endsWith("=")
        ? `${text}"${htmlOf(values[index])}"`
        : text + (index < values.length ? htmlOf(values[index]) : ""),
    )
    .join("");
}

describe("Markdown", () => {
  it.each([
    ["# Title", '<p class="heading heading-1">Title</p>'],
    ["###### Title", '<p class="heading heading-4">Title</p>'],
    ["a line\nand another", "<p>a line⏎and another</p>"],
    ["```ts x\na = `<b>`;\n```", '<pre class="code" aria-label="Code ts">a = `&lt;b>`;</pre>'],
    // An unfinished block of code goes to the end, as while it is streamed.
    ["```\nlet a", '<pre class="code" aria-label="Code ">let a</pre>'],
    ["> quoted", "<blockquote><p>quoted</p></blockquote>"],
    [
      "- [x] done\n- open\n  1. inner",
      '<ul><li><span class="tick" aria-label="done">☑</span> done</li><li>open<ol start="1"><li>inner</li></ol></li></ul>',
    ],
    [
      "| A | B |\n| - | - |\n| 1 | 2 |",
      '<div class="scroll" aria-label="Table"><table><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table></div>',
    ],
    ["---", "<hr />"],
    ["a **b** c", "<p>a <strong>b</strong> c</p>"],
    ["*x* and _y_", "<p><em>x</em> and <em>y</em></p>"],
    ["snake_case_name", "<p>snake_case_name</p>"],
    ["`` a`b ``", "<p><code>a`b</code></p>"],
    ["~~gone~~", "<p><del>gone</del></p>"],
    [String.raw`\*no\*`, "<p>*no*</p>"],
    ["2 * 3 * 4", "<p>2 * 3 * 4</p>"],
    ["&lt;b> &amp; more", "<p>&lt;b> & more</p>"],
  ])("%j", (source, html) => {
    expect(drawn(source)).toBe(html);
  });

  it("links only to the web and to mail", () => {
    const link = (href: string, text: string) => `<a href="${href}" title="${href}">${text}</a>`;
    expect(drawn("[a](https://b.c/d_(e))")).toBe(`<p>${link("https://b.c/d_(e)", "a")}</p>`);
    const address = link("https://a.b/c", "https://a.b/c");
    expect(drawn("see https://a.b/c.")).toBe(`<p>see ${address}.</p>`);
    expect(drawn("<me@a.b>")).toBe(`<p>${link("mailto:me@a.b", "me@a.b")}</p>`);
    for (const href of [
      "javascript:alert(1)",
      "data:text/html,x",
      "file:///x",
      "//host",
      "JavaScript:x",
    ])
      expect(drawn(`[a](${href})`)).toBe(`<p>[a](${href})</p>`);
  });

  it("keeps HTML, images and definitions as text", () => {
    const html = '<img src=x onerror="x">';
    expect(drawn(html)).toBe(`<p>&lt;img src=x onerror="x"></p>`);
    expect(drawn(`a ${html}`)).toBe(`<p>a &lt;img src=x onerror="x"></p>`);
    expect(drawn("![a](https://b.c/d.png)")).toBe("<p>![a](https://b.c/d.png)</p>");
    expect(drawn("[a]: https://b.c")).toBe("<p>[a]: https://b.c</p>");
  });

  it("shows marks that change the direction of text", () => {
    expect(drawn("`a\u202E` b\u202E")).toBe("<p><code>a&lt;U+202E></code> b&lt;U+202E></p>");
  });

  it("keeps deep nesting as text", () => {
    expect(drawn(`${"> ".repeat(50)}x`)).toContain("> > ");
    expect(drawn("> ".repeat(10_000))).toContain("<blockquote>");
  });

  it("shows the beginning of a long text as it is", () => {
    expect(drawn("*a* ".repeat(30_000))).toMatch(
      /^<pre class="plain">\*a\* .*20,000 more characters/,
    );
  });
});

it.each(["- [ ] a\n", "!", "[a\\", "https://a.b/(", "**a **a ", "> a\n", "- a\n  ```\n"])(
  "does not hang on %j",
  (unit) => {
    const before = process.cpuUsage();
    markdown(unit.repeat(50_000 / unit.length));
    const { user, system } = process.cpuUsage(before);
    // The slowest takes 300 ms on an idle machine. Without a limit, some take minutes.
    expect((user + system) / 1000).toBeLessThan(3000);
  },
);
