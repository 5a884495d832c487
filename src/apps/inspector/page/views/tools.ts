import { html, nothing, type TemplateResult } from "lit-html";
import type { TracedToolCall } from "../../../../trace/index.ts";
import { type App, type ListStep, PageView } from "../app.ts";
import { Memo } from "../work.ts";
import { absent, iconButton, statusChip } from "../parts/ui.ts";
import { clock, count, countOf, line } from "../parts/format.ts";
import { toolBody, toolTime } from "../parts/tool-card.ts";
import { type RowColumn, RowList } from "../parts/row-list.ts";
import type { PageRecording } from "../recording.ts";
import { permissionOutcome, permissionBody, permissionWait } from "../parts/permission-card.ts";

const MOST_FRAMES = 60;

/** All tool calls, one row each, and the selected one beside them. */
export class ToolsView extends PageView {
  readonly #list: RowList<TracedToolCall>;
  readonly #memo = new Memo<readonly TracedToolCall[]>();

  constructor(app: App) {
    super(app);
    this.#list = new RowList({
      label: "Tool calls",
      name: "tools-list",
      onSelect: (call, isOpened) => app.select(call.frames[0] ?? -1, { open: isOpened }),
    });
  }

  render(recording: PageRecording): TemplateResult {
    const calls = this.#calls(recording);
    if (calls.length === 0)
      return absent(this.app, recording, "No tool calls", "The agent reported no tool call.");
    const selected = recording.model.frames.tool(this.app.link.row);
    const failed = calls.filter(({ status }) => status === "failed").length;
    const open = calls.filter(({ endMs }) => endMs === undefined).length;
    const active = calls.findIndex(({ number }) => number === selected);
    this.#list.show({ rows: calls, active, columns: columnsOf(recording) });
    return html`<div class="toolbar">
        <span class="figure">${countOf(calls.length, "tool call")}</span>
        ${failed > 0 ? html`<span class="bad figure">${count(failed)} failed</span>` : nothing}
        ${open > 0 ? html`<span class="muted figure">${count(open)} not finished</span>` : nothing}
      </div>
      <div class="fill">${this.#list.element}</div>`;
  }

  override detail(recording: PageRecording): TemplateResult | undefined {
    const { toolCalls, frames } = recording.model;
    const call = toolCalls[frames.tool(this.app.link.row)];
    return call && toolDetail(this.app, recording, call);
  }

  override move(step: ListStep): void {
    this.#list.move(step);
  }

  #calls(recording: PageRecording): readonly TracedToolCall[] {
    const { range } = this.app.link;
    const { model } = recording;
    if (!range) return model.toolCalls;
    return this.#memo.get(
      recording,
      () =>
        model.toolCalls.filter(({ startMs, endMs }) =>
          this.app.isInRange(startMs, endMs ?? model.lastMs),
        ),
      range.join("-"),
    );
  }
}

function columnsOf({ model, isTimed }: PageRecording): readonly RowColumn<TracedToolCall>[] {
  return [
    {
      title: "Start",
      name: "c-time",
      cell: ({ startMs, frames: [first = 0] }) =>
        isTimed ? clock(startMs) : `#${count(first + 1)}`,
    },
    { title: "Kind", name: "c-kind", cell: ({ kind }) => line(kind) },
    { title: "Title", name: "c-words", cell: ({ title, id }) => line(title || id) },
    { title: "Status", name: "c-status", cell: ({ status }) => statusChip(status) },
    { title: "Took", name: "c-took", cell: (call) => toolTime(call, isTimed) },
    {
      title: "Permission",
      name: "c-permission",
      cell: ({ permissions }) => {
        const last = model.permissions[permissions.at(-1) ?? -1];
        return last ? permissionOutcome(last).text : "";
      },
    },
  ];
}

function toolDetail(app: App, recording: PageRecording, call: TracedToolCall): TemplateResult {
  const { model, isTimed } = recording;
  return html`<div class="detail-head">
      <span class="kind">${line(call.kind || "tool")}</span>
      <h2>${line(call.title || call.id)}</h2>
      ${iconButton("copy", "Copy", () => app.open("copy"), "Copy (C)")}
      ${iconButton("close", "Close", () => app.go({ detail: undefined }), "Close (Esc)")}
    </div>
    <div class="detail-body">
      <p class="facts">
        ${statusChip(call.status)}
        <span class="figure">${toolTime(call, isTimed)}</span>
        <code class="muted">${line(call.id)}</code>
      </p>
      <ol class="steps" aria-label="Status">
        ${call.steps.map(
          ({ status, ms, row }) =>
            html`<li>
              <button class="step" data-status=${status} @click=${() => app.show("frames", row)}>
                <span>${line(status.replaceAll("_", " "))}</span>
                <span class="figure muted">${isTimed ? clock(ms) : `#${count(row + 1)}`}</span>
              </button>
            </li>`,
        )}
      </ol>
      ${call.permissions.map((number) => {
        const permission = model.permissions[number];
        return permission
          ? html`<section
              class="card permission-card"
              data-tone=${permissionOutcome(permission).tone}
            >
              <div class="card-head">
                <span class="card-title">Permission</span>
                ${isTimed ? html`<span class="figure muted">waited ${permissionWait(permission)}</span>` : nothing}
              </div>
              <div class="card-body">${permissionBody(permission)}</div>
            </section>`
          : nothing;
      })}
      <div class="tool-body">${toolBody(model, call, true)}</div>
      <h4>Frames</h4>
      <p class="frames-of">
        ${call.frames
          .slice(0, MOST_FRAMES)
          .map(
            (row) =>
              html`<button class="chip" @click=${() => app.show("frames", row)}>
                #${count(row + 1)}
              </button>`,
          )}
        ${
          call.frames.length > MOST_FRAMES
            ? html`<span class="muted">and ${count(call.frames.length - MOST_FRAMES)} more</span>`
            : nothing
        }
      </p>
    </div>`;
}
