import { html, nothing, type TemplateResult } from "lit-html";
import {
  type SessionModel,
  type ToolCallOddity,
  toolCallState,
  type TracedToolCall,
} from "../../../../trace/index.ts";
import { duration, words } from "./format.ts";
import { line } from "./text.ts";
import { rawValue, toolContent } from "./tool-content.ts";

const ODDITIES: Readonly<Record<ToolCallOddity, string>> = {
  update_before_call: "The first frame about this call was an update.",
  announced_twice: "Two frames announced this call.",
  asked_before_call: "The agent asked for permission before it announced this call.",
};

/** The status of a call as a coloured word. */
export function statusChip(status: string): TemplateResult {
  return html`<span class="status" data-status=${status}>${line(words(status))}</span>`;
}

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
