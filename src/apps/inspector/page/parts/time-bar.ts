import { CAUSES } from "./ui.ts";
import { html, type TemplateResult, nothing } from "lit-html";
import type { TurnTime } from "../../../../trace/index.ts";
import { duration } from "./format.ts";

/** The time of a turn by cause, as a bar with its numbers. */
export function timeBar(time: TurnTime): TemplateResult {
  const parts = {
    agent: time.agentMs,
    tool: time.toolMs,
    client: time.clientMs,
    person: time.personMs,
  };
  const shown = CAUSES.filter((cause) => parts[cause] > 0);
  return html`<div class="time-bar">
    <div class="time-parts" aria-hidden="true">
      ${shown.map(
        (cause) =>
          html`<span
            class=${`cause ${cause}`}
            .style=${`flex-grow:${Math.max(parts[cause] / Math.max(time.totalMs, 1), 0.004)}`}
          ></span>`,
      )}
    </div>
    <p class="time-words">
      ${shown.length === 0 ? nothing : shown.map((cause) => legend(cause, duration(parts[cause])))}
    </p>
  </div>`;
}

function legend(cause: string, text: string): TemplateResult {
  return html`<span class="legend"><i class=${`cause ${cause}`}></i>${cause} ${text}</span>`;
}
