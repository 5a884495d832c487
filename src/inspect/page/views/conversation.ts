import { html, nothing, type TemplateResult } from "lit-html";
import { guard } from "lit-html/directives/guard.js";
import { repeat } from "lit-html/directives/repeat.js";
import type { TracedItem } from "../../model/traced.ts";
import type { App, ListStep, PageView } from "../app.ts";
import { Memo } from "../memo.ts";
import { count } from "../parts/format.ts";
import type { PageRecording } from "../recording.ts";
import { itemView } from "./conversation-item.ts";

/** How many items are elements at a time, and how many come at once. */
const MOST_ITEMS = 120;
const STEP_ITEMS = 40;
const EDGE_PIXELS = 600;

/** The conversation as people read it. Only the items around the visible ones are elements. */
export class ConversationView implements PageView {
  readonly #app: App;
  readonly #shown = new Memo<readonly TracedItem[]>();
  readonly #toggled = new Set<number>();
  #recording: PageRecording | undefined;
  #start = 0;
  #end = STEP_ITEMS;
  #row = -1;
  #revealed = true;
  #anchor: { readonly item: string; readonly top: number } | undefined;

  constructor(app: App) {
    this.#app = app;
  }

  render(): TemplateResult {
    const { recording, link } = this.#app;
    if (!recording) return html``;
    if (recording !== this.#recording) {
      this.#recording = recording;
      this.#toggled.clear();
      [this.#start, this.#end, this.#row] = [0, STEP_ITEMS, -1];
    }
    const items = this.#items(recording);
    const { isFollowing } = this.#app;
    if (isFollowing && recording.state.type === "live") {
      this.#end = items.length;
      this.#start = Math.max(0, items.length - STEP_ITEMS);
    } else if (link.row !== this.#row) this.#reveal(recording, items, link.row);
    this.#end = Math.min(Math.max(this.#end, this.#start + STEP_ITEMS), items.length);
    this.#remember();
    if (items.length === 0) return this.#empty(recording);
    const selected = recording.model.frames.item(link.row);
    const before = this.#start;
    const after = items.length - this.#end;
    return html`<div
      class="conversation"
      id="conversation"
      tabindex="0"
      role="region"
      aria-label="Conversation"
      @scroll=${(event: Event) => this.#scrolled(event)}
    >
      ${before > 0 ? more(before, "earlier", () => this.#shift(-STEP_ITEMS)) : nothing}
      ${repeat(
        items.slice(this.#start, this.#end),
        ({ number }) => number,
        (item) =>
          guard(this.#keyOf(recording, item, selected), () =>
            itemView(this.#app, recording, item, {
              isSelected: item.number === selected,
              isToggled: this.#toggled.has(item.number),
              toggle: () => this.#toggle(item.number),
            }),
          ),
      )}
      ${after > 0 ? more(after, "later", () => this.#shift(STEP_ITEMS)) : nothing}
    </div>`;
  }

  /** Keeps the place in the text after elements were added above it. */
  drawn(): void {
    const element = document.getElementById("conversation");
    if (!element) return;
    const { recording, isFollowing } = this.#app;
    if (isFollowing && recording?.state.type === "live") {
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

  move(step: ListStep): void {
    const { recording, link } = this.#app;
    if (!recording) return;
    const items = this.#items(recording);
    const current = recording.model.frames.item(link.row);
    const at = items.findIndex(({ number }) => number === current);
    const to = {
      next: at + 1,
      previous: at - 1,
      pageDown: at + 8,
      pageUp: at - 8,
      first: 0,
      last: items.length - 1,
    }[step];
    const item = items[Math.max(0, Math.min(items.length - 1, to))];
    if (item) this.#app.select(item.first);
    if (step === "last") this.#app.isFollowing = true;
  }

  #items(recording: PageRecording): readonly TracedItem[] {
    const { model } = recording;
    const { range } = this.#app.link;
    if (!range) return model.items;
    const { frames } = model;
    return this.#shown.get(
      recording,
      () =>
        model.items.filter(({ first, last }) =>
          this.#app.isInRange(frames.ms(first), frames.ms(last)),
        ),
      range.join("-"),
    );
  }

  /** Everything that an item's elements depend on. */
  #keyOf(
    { model, version, findings }: PageRecording,
    { number, kind, count: size, shows, turn }: TracedItem,
    selected: number,
  ): unknown[] {
    const state = [number === selected, this.#toggled.has(number), size, findings.length];
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
    this.#app.render();
  }

  #scrolled({ target }: Event): void {
    if (!(target instanceof HTMLElement)) return;
    const { scrollTop, clientHeight, scrollHeight } = target;
    const { recording } = this.#app;
    const below = scrollHeight - scrollTop - clientHeight;
    if (recording?.state.type === "live" && this.#end >= recording.model.items.length)
      this.#app.isFollowing = below < 40;
    if (scrollTop < EDGE_PIXELS && this.#start > 0) this.#shift(-STEP_ITEMS);
    else if (recording && below < EDGE_PIXELS && this.#end < this.#items(recording).length)
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
    this.#app.render();
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
    const { range } = this.#app.link;
    const { frames } = recording.model;
    return html`<div class="empty">
      <h2>${range ? "Nothing was said in this time" : "No conversation yet"}</h2>
      <p>
        ${
          range
            ? html`<button class="button" @click=${() => this.#app.go({ range: undefined })}>
                Show the whole session
              </button>`
            : frames.count === 0
              ? "The client and the agent have not talked."
              : `There are ${count(frames.count)} frames, but no prompt and no message among them.`
        }
      </p>
    </div>`;
  }
}

function more(number: number, which: string, run: () => void): TemplateResult {
  return html`<p class="more">
    <button class="link" @click=${run}>${count(number)} ${which}</button>
  </p>`;
}
