import { html, nothing, type TemplateResult } from "lit-html";
import {
  type SessionModel,
  type ToolCallOddity,
  toolCallState,
  type TracedToolCall,
  terminalDetails,
} from "../../../../trace/index.ts";
import { duration, line, count, countOf, lines } from "./format.ts";
import type { ContentBlock, ShownContent, ToolCallState } from "../../../../protocol/acp/index.ts";
import { isJsonObject } from "../../../../base/index.ts";
import { ansiText } from "./ansi.ts";
import { markdown } from "./markdown.ts";
import { type DiffRow, diffCounts, lineDiff } from "./line-diff.ts";

const ODDITIES: Readonly<Record<ToolCallOddity, string>> = {
  update_before_call: "The first frame about this call was an update.",
  announced_twice: "Two frames announced this call.",
  asked_before_call: "The agent asked for permission before it announced this call.",
};

/** How long a call took; empty while it runs. */
export function toolTime({ startMs, endMs }: TracedToolCall, isTimed: boolean): string {
  return endMs === undefined || !isTimed ? "" : duration(endMs - startMs);
}

/** The content of a call: what it changed and printed, and with `all` also its input and output. */
export function toolBody(model: SessionModel, call: TracedToolCall, all = false): TemplateResult {
  const state = toolCallState(model, call);
  if (!state) return html`<p class="muted">Nothing is known about this call.</p>`;
  const { content, locations, rawInput, rawOutput } = state;
  const hasInput = rawInput !== undefined && rawInput !== null;
  const hasOutput = rawOutput !== undefined && rawOutput !== null;
  const isPlain = content.length === 0;
  return html`${
    locations.length > 0
      ? html`<p class="locations">
          ${locations.map(
            ({ path, line: number }) =>
              html`<code>${line(path)}${typeof number === "number" ? `:${number}` : ""}</code> `,
          )}
        </p>`
      : nothing
  }
  ${
    hasInput && (all || isPlain)
      ? html`<h4>Input</h4>
          ${rawValue(rawInput)}`
      : nothing
  }
  ${content.length > 0 && all ? html`<h4>Content</h4>` : nothing} ${toolContent(model, state)}
  ${
    hasOutput && (all || isPlain)
      ? html`<h4>Output</h4>
          ${rawValue(rawOutput)}`
      : nothing
  }
  ${
    isPlain && !hasInput && !hasOutput
      ? html`<p class="muted small">The agent sent no input and no content.</p>`
      : nothing
  }
  ${call.oddities.map((oddity) => html`<p class="flag muted">${ODDITIES[oddity]}</p>`)}`;
}

/** Whether a card shows its content at first: changes, terminals and failures do. */
export function isOpenAtFirst(model: SessionModel, call: TracedToolCall): boolean {
  if (call.status === "failed") return true;
  const state = toolCallState(model, call);
  return state?.content.some(({ type }) => type !== "content") === true;
}

/** Longer texts and diffs are cut. */
const MOST_CHARS = 20_000;
const MOST_ROWS = 400;
/** Larger images are named and not shown. */
const MOST_IMAGE_CHARS = 8 * 1024 * 1024;
const MOST_PIXELS = 50_000_000;
/** Many agents put output between fences, because editors draw it as Markdown. */
const FENCE = /^```\w*\n([^]*)\n```\s*$/;
const IMAGES = /^image\/(?:png|jpeg|gif|webp)$/;

/** Everything that a tool call produced: texts, diffs and terminals. */
function toolContent(model: SessionModel, state: ToolCallState): readonly TemplateResult[] {
  return state.content.map((content) => oneContent(model, content));
}

function oneContent(model: SessionModel, content: ShownContent): TemplateResult {
  switch (content.type) {
    case "content":
      return contentBlock(content.content, true);
    case "diff":
      return diffView(content.path, content.oldText, content.newText);
    case "terminal":
      return terminalView(model, content.terminalId);
  }
}

/** One content block of a message or a tool call. */
export function contentBlock(block: ContentBlock, isOutput = false): TemplateResult {
  switch (block.type) {
    case "text":
      return isOutput ? output(block.text.replace(FENCE, "$1")) : markdown(block.text);
    case "image":
      return IMAGES.test(block.mimeType) && block.data.length <= MOST_IMAGE_CHARS
        ? html`<img
            class="image"
            hidden
            @load=${showUnlessLarge}
            alt=${`Image, ${block.mimeType}`}
            src=${`data:${block.mimeType};base64,${block.data}`}
          />`
        : media("Image", block.mimeType, block.data.length);
    case "audio":
      return media("Audio", block.mimeType, block.data.length);
    case "resource_link":
      return html`<p class="attachment">
        <span class="tag">link</span> ${line(block.name)} <code>${line(block.uri)}</code>
      </p>`;
    case "resource":
      return html`<p class="attachment">
          <span class="tag">file</span> <code>${line(block.resource.uri)}</code>
        </p>
        ${"text" in block.resource ? output(block.resource.text) : nothing}`;
  }
}

/** A browser decodes an image only when it draws it, but knows the size before. */
function showUnlessLarge({ target }: Event): void {
  if (!(target instanceof HTMLImageElement)) return;
  target.hidden = target.naturalWidth * target.naturalHeight > MOST_PIXELS;
  if (target.hidden) target.before(`${target.alt}, too large`);
}

function media(kind: string, mimeType: string, size: number): TemplateResult {
  return html`<p class="attachment">
    <span class="tag">${kind}</span> ${line(mimeType)}, ${count(size)} characters of base64
  </p>`;
}

/** Text that a tool or a terminal wrote. */
function output(text: string, isTruncated = false): TemplateResult {
  const isCut = text.length > MOST_CHARS;
  const shown = isCut ? text.slice(0, MOST_CHARS) : text;
  return html`<pre class="output" tabindex="0" aria-label="Output">${ansiText(shown)}</pre>
    ${
      isCut
        ? html`<p class="muted small">
            ${countOf(text.length - MOST_CHARS, "more character")}; the frame has them all.
          </p>`
        : nothing
    }${
      isTruncated
        ? html`<p class="muted small">The client kept only the end of the output.</p>`
        : nothing
    }`;
}

function terminalView(model: SessionModel, id: string): TemplateResult {
  const terminal = model.terminals.findLast((known) => known.id === id);
  if (!terminal)
    return html`<p class="attachment"><span class="tag">terminal</span> ${line(id)}</p>`;
  const { command, cwd, output: text, isTruncated } = terminalDetails(model, terminal);
  const { exit } = terminal;
  const isGood = exit?.code === 0;
  return html`<figure class="terminal">
    <figcaption>
      <code>$ ${line(command)}</code>
      ${cwd === undefined ? nothing : html`<span class="muted">in ${line(cwd)}</span>`}
      <span class=${exit && !isGood ? "bad" : "muted"}
        >${
          exit
            ? exit.signal === undefined
              ? `exit ${exit.code ?? "unknown"}`
              : `ended by ${line(exit.signal)}`
            : "running"
        }</span
      >
    </figcaption>
    ${text === "" ? html`<p class="muted small pad">${exit ? "No output was captured." : "No output so far."}</p>` : output(text, isTruncated)}
  </figure>`;
}

function diffView(path: string, before: string | null | undefined, after: string): TemplateResult {
  const rows = lineDiff(before, after);
  const { added, removed } = diffCounts(rows);
  const shown = rows.slice(0, MOST_ROWS);
  return html`<figure class="diff">
    <figcaption>
      <code>${line(path)}</code>
      <span class="added">+${count(added)}</span> <span class="removed">−${count(removed)}</span>
      ${before === null || before === undefined ? html`<span class="muted">new file</span>` : nothing}
    </figcaption>
    <div class="scroll" tabindex="0" role="region" aria-label="Changes">
      <table class="lines">
        <tbody>
          ${shown.map((row) => diffRow(row))}
        </tbody>
      </table>
    </div>
    ${
      rows.length > shown.length
        ? html`<p class="muted small pad">${countOf(rows.length - shown.length, "more line")}</p>`
        : nothing
    }
  </figure>`;
}

const SIGNS = { same: " ", added: "+", removed: "−", gap: "…" } as const;

function diffRow({ type, before, after, text }: DiffRow): TemplateResult {
  return html`<tr class=${type}>
    <td class="n">${before ?? ""}</td>
    <td class="n">${after ?? ""}</td>
    <td class="sign">${SIGNS[type]}</td>
    <td class="text">${lines(text)}</td>
  </tr>`;
}

/** The input or output of a tool as the agent sent it. */
function rawValue(value: unknown): TemplateResult {
  if (typeof value === "string") return output(value);
  const isFlat =
    isJsonObject(value) && Object.values(value).every((field) => typeof field !== "object");
  if (!isFlat) return output(JSON.stringify(value, undefined, 2) ?? "");
  return html`<dl class="fields">
    ${Object.entries(value).map(
      ([key, field]) =>
        html`<dt>${line(key)}</dt>
          <dd>${lines(String(field)).slice(0, MOST_CHARS)}</dd>`,
    )}
  </dl>`;
}
