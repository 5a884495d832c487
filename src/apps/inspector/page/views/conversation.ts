import { html, nothing, render, type TemplateResult } from "lit-html";
import type { TracedItem } from "../../../../trace/index.ts";
import type { App, ListStep, PageView } from "../app.ts";
import { Memo } from "../work.ts";
import { absent, link, stepped } from "../parts/ui.ts";
import { count } from "../parts/format.ts";
import type { PageRecording } from "../recording.ts";
import { itemView } from "./conversation-item.ts";

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
export class ConversationView implements PageView {
  readonly #app: App;
  readonly #shown = new Memo<readonly TracedItem[]>();
  readonly #toggled = new Set<number>();
  #drawn = new Map<number, DrawnItem>();
  #recording: PageRecording | undefined;
  #start = 0;
  #end = STEP_ITEMS;
  #row = -1;
  #revealed = true;
  #anchor: { readonly item: string; readonly top: number } | undefined;

  constructor(app: App) {
    this.#app = app;
  }

  render(recording: PageRecording): TemplateResult {
    const { row } = this.#app.link;
    if (recording !== this.#recording) {
      this.#recording = recording;
      this.#toggled.clear();
      this.#drawn.clear();
      [this.#start, this.#end, this.#row] = [0, STEP_ITEMS, -1];
    }
    const items = this.#items(recording);
    const { isFollowing } = this.#app;
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
  drawn({ state }: PageRecording): void {
    const element = document.getElementById("conversation");
    if (!element) return;
    if (this.#app.isFollowing && state.type === "live") {
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

  move(step: ListStep, recording: PageRecording): void {
    const items = this.#items(recording);
    const current = recording.model.frames.item(this.#app.link.row);
    const at = items.findIndex(({ number }) => number === current);
    const item = items[stepped(step, at, items.length - 1, 8)];
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
        render(itemView(this.#app, recording, item, state), drawn.element);
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
    this.#app.render();
  }

  #scrolled({ target }: Event, recording: PageRecording): void {
    if (!(target instanceof HTMLElement)) return;
    const { scrollTop, clientHeight, scrollHeight } = target;
    const below = scrollHeight - scrollTop - clientHeight;
    if (recording.state.type === "live" && this.#end >= recording.model.items.length)
      this.#app.isFollowing = below < 40;
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
    const { frames } = recording.model;
    return absent(
      this.#app,
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
