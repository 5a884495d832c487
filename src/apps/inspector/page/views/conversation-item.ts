import { html, nothing, type TemplateResult } from "lit-html";
import { objectsField, stringField } from "../../../../base/index.ts";
import {
  itemContent,
  itemRows,
  itemText,
  readMessage,
  type SessionModel,
  type TracedItem,
  type TracedTurn,
  turnTime,
  updateOf,
} from "../../../../trace/index.ts";
import type { App } from "../app.ts";
import { clock, count, counted, duration, words, line } from "../parts/format.ts";
import { icon, timeBar, chip } from "../parts/ui.ts";
import { markdown } from "../parts/markdown.ts";
import { outcomeOf, permissionBody, subjectOf, waitOf } from "../parts/permission-card.ts";
import { isOpenAtFirst, statusChip, toolBody, toolTime, contentBlock } from "../parts/tool-card.ts";
import type { PageRecording } from "../recording.ts";

/** How an item is shown. */
export interface ItemState {
  readonly isSelected: boolean;
  /** Whether it is open although it is closed at first, or the other way round. */
  readonly isToggled: boolean;
  readonly toggle: () => void;
}

const ROLES: Readonly<Record<TracedItem["kind"], string>> = {
  prompt: "User",
  user: "User",
  agent: "Agent",
  thought: "Thought",
  plan: "Plan",
  tool: "Tool",
  permission: "Permission",
  notice: "Notice",
  mode: "Mode",
  end: "",
};

/** One item of the conversation. */
export function itemView(
  app: App,
  recording: PageRecording,
  item: TracedItem,
  state: ItemState,
): TemplateResult {
  const { model, isTimed } = recording;
  const { frames } = model;
  const findings = itemFindings(recording, item);
  const turn = item.kind === "prompt" ? item.shows + 1 : 0;
  const content = contentOf(recording, item, state);
  if (item.kind === "end")
    return html`<div
      class=${`item end ${state.isSelected ? "selected" : ""}`}
      id=${`item-${item.number}`}
    >
      ${content}
    </div>`;
  return html`<article
    class=${`item ${item.kind} ${state.isSelected ? "selected" : ""}`}
    id=${`item-${item.number}`}
    aria-label=${`${ROLES[item.kind]}, frame ${count(item.first + 1)}`}
  >
    <header class="who">
      <span class="role">${ROLES[item.kind]}</span>
      ${turn > 0 ? html`<span class="turn-number">Turn ${count(turn)}</span>` : nothing}
      <button
        class="link time figure"
        title=${`Show frame ${count(item.first + 1)}`}
        @click=${() => app.select(item.first, { open: true })}
      >
        ${isTimed ? clock(frames.ms(item.first)) : `#${count(item.first + 1)}`}
      </button>
    </header>
    <div class="said">
      ${content}
      ${
        findings > 0
          ? chip(
              html`${icon("warning")} ${counted(findings, "finding")}`,
              () => app.show("findings", item.first),
              "chip warn",
            )
          : nothing
      }
    </div>
  </article>`;
}

/** Long messages have many frames, so only the first and the last are looked at. */
function itemFindings(recording: PageRecording, { first, last }: TracedItem): number {
  const found = new Set([...recording.findingsOf(first), ...recording.findingsOf(last)]);
  return found.size;
}

function contentOf(
  recording: PageRecording,
  item: TracedItem,
  state: ItemState,
): TemplateResult | readonly TemplateResult[] {
  const { model } = recording;
  switch (item.kind) {
    case "prompt":
    case "user":
    case "agent":
      return itemContent(model, item).map((block) => contentBlock(block));
    case "thought":
      return thought(model, item, state);
    case "plan":
      return plan(model, item);
    case "tool":
      return tool(recording, item, state);
    case "permission":
      return permission(model, item, recording.isTimed);
    case "notice":
    case "mode":
      return notice(model, item);
    case "end":
      return end(recording, model.turns[item.shows]);
  }
}

function thought(model: SessionModel, item: TracedItem, state: ItemState): TemplateResult {
  const text = itemText(model, item);
  const first = line(text.trim()).slice(0, 90);
  return html`<button class="fold" aria-expanded=${state.isToggled} @click=${state.toggle}>
      <span class="fold-text">${first}${text.length > 90 ? " …" : ""}</span>
    </button>
    ${state.isToggled ? markdown(text) : nothing}`;
}

function plan(model: SessionModel, item: TracedItem): TemplateResult {
  const last = itemRows(model, item).at(-1) ?? item.last;
  const update = updateOf(readMessage(model.frames.line(last))) ?? {};
  const entries = objectsField(update, "entries");
  return html`<ul class="plan">
      ${entries.map((entry) => {
        const status = stringField(entry, "status") ?? "pending";
        return html`<li data-status=${status}>
          <span class="plan-mark" aria-hidden="true"
            >${status === "completed" ? "✓" : status === "in_progress" ? "●" : "○"}</span
          >
          <span>${line(stringField(entry, "content") ?? "")}</span
          ><span class="sr">(${words(status)})</span>
        </li>`;
      })}
    </ul>
    ${
      item.count > 1
        ? html`<p class="muted small">
            Changed ${counted(item.count - 1, "time")}; this is the last.
          </p>`
        : nothing
    }`;
}

function tool(
  { model, isTimed }: PageRecording,
  item: TracedItem,
  state: ItemState,
): TemplateResult {
  const call = model.toolCalls[item.shows];
  if (!call) return html``;
  const isOpen = isOpenAtFirst(model, call) !== state.isToggled;
  return html`<section class="card" data-status=${call.status}>
    <button class="card-head" aria-expanded=${isOpen} @click=${state.toggle}>
      <span class="kind">${line(call.kind || "tool")}</span>
      <span class="card-title">${line(call.title || call.id)}</span>
      <span class="figure muted">${toolTime(call, isTimed)}</span>
      ${statusChip(call.status)}
    </button>
    ${isOpen ? html`<div class="card-body">${toolBody(model, call)}</div>` : nothing}
  </section>`;
}

function permission(model: SessionModel, item: TracedItem, isTimed: boolean): TemplateResult {
  const asked = model.permissions[item.shows];
  if (!asked) return html``;
  const { text, tone } = outcomeOf(asked);
  const wait = isTimed ? waitOf(asked) : "";
  return html`<section class="card permission-card" data-tone=${tone}>
    <div class="card-head">
      <span class="card-title">${subjectOf(model, asked)}</span>
      ${wait === "" ? nothing : html`<span class="figure muted">waited ${wait}</span>`}
      <span class="status" data-tone=${tone}>${text}</span>
    </div>
    <div class="card-body">${permissionBody(asked)}</div>
  </section>`;
}

function notice(model: SessionModel, item: TracedItem): TemplateResult {
  const update = updateOf(readMessage(model.frames.line(item.first))) ?? {};
  const mode = stringField(update, "currentModeId");
  const text = mode === undefined ? (stringField(update, "title") ?? "") : `Mode: ${mode}`;
  return html`<p class="muted">${line(text)}</p>`;
}

function end({ model, isTimed }: PageRecording, turn: TracedTurn | undefined): TemplateResult {
  if (!turn) return html``;
  const took = turn.endMs === undefined || !isTimed ? "" : duration(turn.endMs - turn.startMs);
  const text = turn.error
    ? `The prompt failed: ${line(turn.error.message)}`
    : `Ended with ${line(words(turn.stopReason ?? "no reason"))}`;
  return html`<p class=${turn.error ? "end-line bad" : "end-line"}>
      <span>${text}${took === "" ? "" : ` after ${took}`}</span>
      ${
        isSilent(model, turn)
          ? html`<strong class="bad">without a message or a tool call</strong>`
          : nothing
      }
      ${turn.cancel >= 0 ? html`<span class="muted">the client had cancelled it</span>` : nothing}
    </p>
    ${
      isTimed && turn.endMs !== undefined && turn.endMs > turn.startMs
        ? timeBar(turnTime(model, turn))
        : nothing
    }`;
}

/** Whether the agent did nothing that people see. */
function isSilent(model: SessionModel, turn: TracedTurn): boolean {
  if (turn.tools.length > 0 || turn.error) return false;
  const { frames, items } = model;
  const prompt = frames.item(turn.prompt);
  const last = frames.item(turn.end);
  return !items
    .slice(prompt, last)
    .some(({ kind, turn: of }) => kind === "agent" && of === turn.number);
}
