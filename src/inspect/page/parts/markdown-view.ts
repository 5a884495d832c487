import { html, nothing, type TemplateResult } from "lit-html";
import { count } from "./format.ts";
import { type MarkdownBlock, type MarkdownInline, parseMarkdown } from "./markdown.ts";
import { lines } from "./text.ts";

/** Longer texts are shown as they are, because people read only their beginning. */
const MOST_CHARS = 100_000;

/** Markdown from a recording. It makes text and a few elements, never HTML of its own. */
export function markdown(text: string): TemplateResult {
  if (text.length > MOST_CHARS) {
    const rest = text.length - MOST_CHARS;
    return html`<pre class="plain">${lines(text.slice(0, MOST_CHARS))}</pre>
      <p class="muted">${count(rest)} more characters are in the frames.</p>`;
  }
  return html`<div class="markdown">${parseMarkdown(lines(text)).map((part) => block(part))}</div>`;
}

function block(part: MarkdownBlock): TemplateResult {
  switch (part.type) {
    case "heading":
      // The page has headings of its own, so those of a message are only drawn like headings.
      return html`<p class=${`heading heading-${Math.min(part.level, 4)}`}>
        ${inlines(part.children)}
      </p>`;
    case "paragraph":
      return html`<p>${inlines(part.children)}</p>`;
    case "code":
      return html`<pre class="code" tabindex="0" aria-label=${`Code ${part.language}`}>
${part.text}</pre>`;
    case "quote":
      return html`<blockquote>${part.blocks.map((inner) => block(inner))}</blockquote>`;
    case "list": {
      const items = part.items.map(
        ({ isDone, blocks }) =>
          html`<li>
            ${
              isDone === undefined
                ? nothing
                : html`<span class="tick" role="img" aria-label=${isDone ? "done" : "open"}
                    >${isDone ? "☑" : "☐"}</span
                  >`
            }${blocks.map((inner) => tight(inner))}
          </li>`,
      );
      return part.isOrdered
        ? html`<ol start=${part.start}>
            ${items}
          </ol>`
        : html`<ul>
            ${items}
          </ul>`;
    }
    case "table":
      return html`<div class="scroll" tabindex="0" role="region" aria-label="Table">
        <table>
          <thead>
            <tr>
              ${part.head.map((cell) => html`<th>${inlines(cell)}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${part.rows.map(
              (row) =>
                html`<tr>
                  ${row.map((cell) => html`<td>${inlines(cell)}</td>`)}
                </tr>`,
            )}
          </tbody>
        </table>
      </div>`;
    case "rule":
      return html`<hr />`;
  }
}

/** A paragraph in a list has no margins. */
function tight(part: MarkdownBlock): TemplateResult {
  return part.type === "paragraph" ? html`<div>${inlines(part.children)}</div>` : block(part);
}

function inlines(parts: readonly MarkdownInline[]): readonly (TemplateResult | string)[] {
  return parts.map((part) => {
    switch (part.type) {
      case "text":
        return part.text;
      case "code":
        return html`<code>${part.text}</code>`;
      case "break":
        return html`<br />`;
      case "strong":
        return html`<strong>${inlines(part.children)}</strong>`;
      case "emphasis":
        return html`<em>${inlines(part.children)}</em>`;
      case "deleted":
        return html`<del>${inlines(part.children)}</del>`;
      case "link":
        return html`<a
          href=${part.href}
          title=${part.href}
          target="_blank"
          rel="noopener noreferrer"
          >${inlines(part.children)}</a
        >`;
    }
  });
}
