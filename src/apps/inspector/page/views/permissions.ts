import { html, nothing, type TemplateResult } from "lit-html";
import type { TracedDecision, TracedPermission } from "../../../../trace/index.ts";
import { type ListStep, PageView } from "../app.ts";
import { absent, cards, leftOut, NARROW, chip, table, statusChip } from "../parts/ui.ts";
import { clock, count, countOf, words, line } from "../parts/format.ts";
import type { PageRecording } from "../recording.ts";
import {
  permissionOutcome,
  permissionBody,
  permissionSubject,
  permissionWait,
} from "../parts/permission-card.ts";
import { revealer, stepped } from "../parts/row-list.ts";

const MOST_SHOWN = 100;

/** All requests for permission: what was asked, how it was answered, by whom and why. */
export class PermissionsView extends PageView {
  readonly #reveal = revealer(".cards .card.selected");

  render(recording: PageRecording): TemplateResult {
    const shown = this.#permissions(recording);
    // Decisions about other requests, such as reading a file, have no question to a person.
    const others = recording.model.decisions.filter(
      ({ permission, ms }) => permission < 0 && this.app.isInRange(ms),
    );
    if (shown.length === 0 && others.length === 0)
      return absent(
        this.app,
        recording,
        "No permissions",
        "The agent asked for no permission, and the client decided about nothing else.",
      );
    const denied = shown.filter(
      (permission) => permissionOutcome(permission).tone === "bad",
    ).length;
    return html`<div class="toolbar">
        <span class="figure">${countOf(shown.length, "request")}</span>
        ${denied > 0 ? html`<span class="bad figure">${count(denied)} denied or cancelled</span>` : nothing}
        ${
          others.length > 0
            ? html`<span class="muted figure">${countOf(others.length, "other decision")}</span>`
            : nothing
        }
      </div>
      ${cards(
        "Permissions",
        html`${shown.slice(0, MOST_SHOWN).map((permission) => this.#card(recording, permission))}
        ${leftOut(shown.length - MOST_SHOWN, "request", NARROW)}
        ${others.length > 0 ? this.#others(others, recording.isTimed) : nothing}`,
      )}`;
  }

  override drawn(): void {
    this.#reveal(this.app.link.row);
  }

  override move(step: ListStep, recording: PageRecording): void {
    const { link } = this.app;
    const shown = this.#permissions(recording);
    const at = shown.findIndex((permission) => isAbout(permission, link.row));
    const permission = shown[stepped(step, at, shown.length - 1, 5)];
    if (permission) this.app.select(permission.request);
  }

  #permissions({ model }: PageRecording): readonly TracedPermission[] {
    return model.permissions.filter(({ askedMs, answeredMs }) =>
      this.app.isInRange(askedMs, answeredMs ?? model.lastMs),
    );
  }

  #card(recording: PageRecording, permission: TracedPermission): TemplateResult {
    const { model, isTimed } = recording;
    const { request, response, askedMs, tool, turn } = permission;
    const { text, tone } = permissionOutcome(permission);
    const call = model.toolCalls[tool];
    const isSelected = isAbout(permission, this.app.link.row);
    return html`<section
      class=${`card permission-card ${isSelected ? "selected" : ""}`}
      data-tone=${tone}
      aria-label=${`Permission ${count(permission.number + 1)}`}
    >
      <div class="card-head">
        ${call?.kind ? html`<span class="kind">${line(call.kind)}</span>` : nothing}
        <span class="card-title">${permissionSubject(model, permission)}</span>
        <span class="status" data-tone=${tone}>${text}</span>
      </div>
      <div class="card-body">
        ${permissionBody(permission)}
        <p class="facts">
          ${isTimed ? html`<span class="figure">asked at ${clock(askedMs)}</span>` : nothing}
          ${
            isTimed && permissionWait(permission) !== ""
              ? html`<span class="figure">waited ${permissionWait(permission)}</span>`
              : nothing
          }
          ${turn >= 0 ? html`<span>turn ${count(turn + 1)}</span>` : nothing}
          ${call ? html`<span>the tool call is now ${statusChip(call.status)}</span>` : nothing}
        </p>
        <p class="facts">
          ${chip(`Request #${count(request + 1)}`, () => this.app.select(request, { open: true }))}
          ${
            response >= 0
              ? chip(`Answer #${count(response + 1)}`, () =>
                  this.app.select(response, { open: true }),
                )
              : nothing
          }
          ${call ? chip("Tool call", () => this.app.show("tools", request)) : nothing}
        </p>
      </div>
    </section>`;
  }

  #others(decisions: readonly TracedDecision[], isTimed: boolean): TemplateResult {
    return html`<h3>Other decisions of the client</h3>
      ${table(
        "Other decisions",
        [
          { title: "Time", cell: ({ ms }) => (isTimed ? clock(ms) : "") },
          { title: "About", cell: ({ decision }) => html`<code>${line(decision.what)}</code>` },
          { title: "Decision", cell: ({ decision }) => words(decision.outcome) },
          { title: "By", cell: ({ decision }) => line(decision.by) },
          { title: "Reason", cell: ({ decision }) => line(decision.hint ?? "") },
        ],
        decisions.slice(0, MOST_SHOWN),
      )}`;
  }
}

function isAbout({ request, response }: TracedPermission, row: number): boolean {
  return row >= 0 && (row === request || row === response);
}
