import { html, type TemplateResult } from "lit-html";
import {
  decodeEntities,
  isMarkedToken,
  parseBlocks,
  safeLink,
  type Token,
  type Tokens,
} from "../../../../base/markdown/index.ts";
import { count, lines } from "./format.ts";

/** Longer texts are shown as they are, because people read only their beginning. */
const MOST_CHARS = 100_000;
/** Real documents of this size take about 4 times their length. */
const MOST_READ_CHARS = 5 * MOST_CHARS;

/** Markdown from a recording. HTML and images stay text, and links lead only to the web and to mail. */
export function markdown(text: string): TemplateResult {
  if (text.length > MOST_CHARS) {
    const rest = text.length - MOST_CHARS;
    return html`<pre class="plain">${lines(text.slice(0, MOST_CHARS))}</pre>
      <p class="muted">${count(rest)} more characters are in the frames.</p>`;
  }
  const blocks = parseBlocks(lines(text), MOST_READ_CHARS);
  return html`<div class="markdown">${blocks.map((token) => block(token))}</div>`;
}

type Drawn = TemplateResult | string | readonly Drawn[];

function block(token: Token): Drawn {
  if (!isMarkedToken(token)) return html`<p>${token.raw}</p>`;
  switch (token.type) {
    case "space":
      return "";
    case "heading":
      // The page has headings of its own, so those of a message are only drawn like headings.
      return html`<p class=${`heading heading-${Math.min(token.depth, 4)}`}>
        ${inlines(token.tokens)}
      </p>`;
    case "paragraph":
      return html`<p>${inlines(token.tokens)}</p>`;
    case "code":
      return html`<pre
        class="code"
        tabindex="0"
        aria-label=${`Code ${token.lang?.split(/\s/, 1)[0] ?? ""}`}
      >
${token.text}</pre>`;
    case "blockquote":
      return html`<blockquote>${token.tokens.map((inner) => block(inner))}</blockquote>`;
    case "list": {
      const items = token.items.map((item) => html`<li>${itemBlocks(item)}</li>`);
      return token.ordered
        ? html`<ol start=${token.start === "" ? 1 : token.start}>
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
              ${token.header.map(({ tokens }) => html`<th>${inlines(tokens)}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${token.rows.map(
              (cells) =>
                html`<tr>
                  ${cells.map(({ tokens }) => html`<td>${inlines(tokens)}</td>`)}
                </tr>`,
            )}
          </tbody>
        </table>
      </div>`;
    case "hr":
      return html`<hr />`;
    default:
      return html`<p>${inline(token)}</p>`;
  }
}

/** Text and the boxes of tasks have no margins in a list. */
function itemBlocks({ tokens }: Tokens.ListItem): Drawn {
  return tokens.map((token) =>
    token.type === "text" || token.type === "checkbox" ? inline(token) : block(token),
  );
}

function inlines(tokens: readonly Token[]): readonly Drawn[] {
  return tokens.map((token) => inline(token));
}

function inline(token: Token): Drawn {
  if (!isMarkedToken(token)) return token.raw;
  switch (token.type) {
    case "text":
    case "escape":
      return "tokens" in token && token.tokens
        ? inlines(token.tokens)
        : lines(decodeEntities(token.text));
    case "codespan":
      return html`<code>${token.text}</code>`;
    case "br":
      return html`<br />`;
    case "strong":
      return html`<strong>${inlines(token.tokens)}</strong>`;
    case "em":
      return html`<em>${inlines(token.tokens)}</em>`;
    case "del":
      return html`<del>${inlines(token.tokens)}</del>`;
    case "checkbox":
      return html`<span class="tick" role="img" aria-label=${token.checked ? "done" : "open"}
        >${token.checked ? "☑" : "☐"}</span
      > `;
    case "link": {
      const href = safeLink(token.href);
      // A link that may not be followed stays as it is, with its address.
      if (href === undefined) return token.raw;
      return html`<a href=${href} title=${href} target="_blank" rel="noopener noreferrer"
        >${inlines(token.tokens)}</a
      >`;
    }
    default:
      return token.raw;
  }
}
