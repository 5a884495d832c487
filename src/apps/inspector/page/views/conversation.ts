import { html, nothing, render, type TemplateResult } from "lit-html";
import {
  type TracedItem,
  itemContent,
  itemRows,
  itemText,
  readWireMessage,
  type SessionModel,
  type TracedTurn,
  turnTime,
  updateOf,
} from "../../../../trace/index.ts";
import { type App, type ListStep, PageView } from "../app.ts";
import { Memo } from "../work.ts";
import { absent, link, icon, chip, statusChip } from "../parts/ui.ts";
import { count, clock, countOf, duration, words, line } from "../parts/format.ts";
import type { PageRecording } from "../recording.ts";
import { objectsField, stringField } from "../../../../base/index.ts";
import { markdown } from "../parts/markdown.ts";
import { isOpenAtFirst, toolBody, toolTime, contentBlock } from "../parts/tool-card.ts";
import {
  permissionOutcome,
  permissionBody,
  permissionSubject,
  permissionWait,
} from "../parts/permission-card.ts";
import { stepped } from "../parts/row-list.ts";
import { timeBar } from "../parts/time-bar.ts";

/** How many items are elements at a time, and how many come at once. */
const MOST_ITEMS = 120;
const STEP_ITEMS = 40;
const EDGE_PIXELS = 600;

interface DrawnItem {
  readonly element: HTMLElement;
  /** Everything that it was drawn from. */
  key: string;
}

/** The conversation as people read it. Only the items around the visible ones are elements. */
export class ConversationView extends PageView {
  readonly #shown = new Memo<readonly TracedItem[]>();
  readonly #toggled = new Set<number>();
  #drawn = new Map<number, DrawnItem>();
  #recording: PageRecording | undefined;
  #start = 0;
  #end = STEP_ITEMS;
  #row = -1;
  #revealed = true;
  #anchor: { readonly item: string; readonly top: number } | undefined;

  render(recording: PageRecording): TemplateResult {
    const { row } = this.app.link;
    if (recording !== this.#recording) {
      this.#recording = recording;
      this.#toggled.clear();
      this.#drawn.clear();
      [this.#start, this.#end, this.#row] = [0, STEP_ITEMS, -1];
    }
    const items = this.#items(recording);
    const { isFollowing } = this.app;
    if (isFollowing && recording.state.type === "live") {
      this.#end = items.length;
      this.#start = Math.max(0, items.length - STEP_ITEMS);
    } else if (row !== this.#row) this.#reveal(recording, items, row);
    this.#end = Math.min(Math.max(this.#end, this.#start + STEP_ITEMS), items.length);
    this.#remember();
    if (items.length === 0) return this.#empty(recording);
    const selected = recording.model.frames.item(row);
    const before = this.#start;
    const after = items.length - this.#end;
    return html`<div
      class="conversation"
      id="conversation"
      tabindex="0"
      role="region"
      aria-label="Conversation"
      @scroll=${(event: Event) => this.#scrolled(event, recording)}
    >
      ${before > 0 ? more(before, "earlier", () => this.#shift(-STEP_ITEMS)) : nothing}
      ${this.#elements(recording, items.slice(this.#start, this.#end), selected)}
      ${after > 0 ? more(after, "later", () => this.#shift(STEP_ITEMS)) : nothing}
    </div>`;
  }

  /** Keeps the place in the text after elements were added above it. */
  override drawn({ state }: PageRecording): void {
    const element = document.getElementById("conversation");
    if (!element) return;
    if (this.app.isFollowing && state.type === "live") {
      element.scrollTop = element.scrollHeight;
      return;
    }
    if (!this.#revealed) {
      this.#revealed = true;
      element.querySelector(".item.selected")?.scrollIntoView({ block: "nearest" });
      return;
    }
    const anchor = this.#anchor && document.getElementById(this.#anchor.item);
    if (anchor && this.#anchor)
      element.scrollTop += anchor.getBoundingClientRect().top - this.#anchor.top;
  }

  override move(step: ListStep, recording: PageRecording): void {
    const items = this.#items(recording);
    const current = recording.model.frames.item(this.app.link.row);
    const at = items.findIndex(({ number }) => number === current);
    const item = items[stepped(step, at, items.length - 1, 8)];
    if (item) this.app.select(item.first);
    if (step === "last") this.app.isFollowing = true;
  }

  #items(recording: PageRecording): readonly TracedItem[] {
    const { model } = recording;
    const { range } = this.app.link;
    if (!range) return model.items;
    const { frames } = model;
    return this.#shown.get(
      recording,
      () =>
        model.items.filter(({ first, last }) =>
          this.app.isInRange(frames.ms(first), frames.ms(last)),
        ),
      range.join("-"),
    );
  }

  /** The elements of items. Those of items that have not changed stay as they are. */
  #elements(
    recording: PageRecording,
    items: readonly TracedItem[],
    selected: number,
  ): readonly HTMLElement[] {
    const kept = new Map<number, DrawnItem>();
    for (const item of items) {
      const { number } = item;
      const drawn = this.#drawn.get(number) ?? { element: document.createElement("div"), key: "" };
      const key = this.#keyOf(recording, item, selected).join(" ");
      if (key !== drawn.key) {
        const state = {
          isSelected: number === selected,
          isToggled: this.#toggled.has(number),
          toggle: () => this.#toggle(number),
        };
        render(itemView(this.app, recording, item, state), drawn.element);
        drawn.key = key;
      }
      kept.set(number, drawn);
    }
    this.#drawn = kept;
    return [...kept.values()].map(({ element }) => element);
  }

  /** Everything that an item's elements depend on. */
  #keyOf(
    { model, version, findings }: PageRecording,
    { number, kind, count: size, shows, turn }: TracedItem,
    selected: number,
  ): unknown[] {
    const state = [number === selected, this.#toggled.has(number), size, findings?.length];
    if (kind === "tool") {
      const call = model.toolCalls[shows];
      // Terminals of the call may still print.
      const terminals = call?.endMs === undefined ? version : 0;
      return [...state, call?.frames.length, call?.status, terminals];
    }
    if (kind === "permission") return [...state, model.permissions[shows]?.outcome];
    return [...state, turn];
  }

  #reveal(recording: PageRecording, items: readonly TracedItem[], row: number): void {
    const item = recording.model.frames.item(row);
    if (row >= recording.model.frames.count && recording.state.type === "loading") return;
    this.#row = row;
    const at = item < 0 ? -1 : items.findIndex(({ number }) => number === item);
    if (at < 0) return;
    this.#revealed = false;
    if (at >= this.#start && at < this.#end) return;
    this.#start = Math.max(0, at - STEP_ITEMS / 2);
    this.#end = this.#start + STEP_ITEMS;
  }

  #toggle(number: number): void {
    if (!this.#toggled.delete(number)) this.#toggled.add(number);
    this.app.render();
  }

  #scrolled({ target }: Event, recording: PageRecording): void {
    if (!(target instanceof HTMLElement)) return;
    const { scrollTop, clientHeight, scrollHeight } = target;
    const below = scrollHeight - scrollTop - clientHeight;
    if (recording.state.type === "live" && this.#end >= recording.model.items.length)
      this.app.isFollowing = below < 40;
    if (scrollTop < EDGE_PIXELS && this.#start > 0) this.#shift(-STEP_ITEMS);
    else if (below < EDGE_PIXELS && this.#end < this.#items(recording).length)
      this.#shift(STEP_ITEMS);
  }

  #shift(by: number): void {
    if (by < 0) {
      this.#start = Math.max(0, this.#start + by);
      this.#end = Math.min(this.#end, this.#start + MOST_ITEMS);
    } else {
      this.#end += by;
      this.#start = Math.max(this.#start, this.#end - MOST_ITEMS);
    }
    this.app.render();
  }

  #remember(): void {
    const element = document.getElementById("conversation");
    this.#anchor = undefined;
    if (!element) return;
    const { top } = element.getBoundingClientRect();
    for (const item of element.querySelectorAll<HTMLElement>(".item")) {
      const box = item.getBoundingClientRect();
      if (box.bottom > top) {
        this.#anchor = { item: item.id, top: box.top };
        return;
      }
    }
  }

  #empty(recording: PageRecording): TemplateResult {
    const { frames } = recording.model;
    return absent(
      this.app,
      recording,
      "No conversation",
      frames.count === 0
        ? "The client and the agent have not talked."
        : `There are ${count(frames.count)} frames, but no prompt and no message among them.`,
    );
  }
}

function more(number: number, which: string, run: () => void): TemplateResult {
  return html`<p class="more">${link(`${count(number)} ${which}`, run)}</p>`;
}

interface ItemState {
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

function itemView(
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
              html`${icon("warning")} ${countOf(findings, "finding")}`,
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
  const update = updateOf(readWireMessage(model.frames.line(last))) ?? {};
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
            Changed ${countOf(item.count - 1, "time")}; this is the last.
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
  const { text, tone } = permissionOutcome(asked);
  const wait = isTimed ? permissionWait(asked) : "";
  return html`<section class="card permission-card" data-tone=${tone}>
    <div class="card-head">
      <span class="card-title">${permissionSubject(model, asked)}</span>
      ${wait === "" ? nothing : html`<span class="figure muted">waited ${wait}</span>`}
      <span class="status" data-tone=${tone}>${text}</span>
    </div>
    <div class="card-body">${permissionBody(asked)}</div>
  </section>`;
}

function notice(model: SessionModel, item: TracedItem): TemplateResult {
  const update = updateOf(readWireMessage(model.frames.line(item.first))) ?? {};
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
