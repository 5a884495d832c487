import { html, nothing, type TemplateResult } from "lit-html";
import { firstWords } from "../../../../trace/index.ts";
import type { App, ListStep, PageView } from "../app.ts";
import { bytes, clock, count, counted, duration } from "../parts/format.ts";
import { icon } from "../parts/icons.ts";
import { RowList } from "../parts/row-list.ts";
import { line as oneLine } from "../parts/text.ts";
import type { PageRecording } from "../recording.ts";
import { FrameRows } from "./frame-rows.ts";
import { FrameSearch } from "./frame-search.ts";
import { element, fillCells, toggle } from "../parts/ui.ts";

const INPUT_MS = 150;

const HINTS: readonly (readonly [filter: string, meaning: string])[] = [
  ["method:prompt", "frames of a method"],
  ["kind:tool_call", "a kind of frame or update"],
  ["dir:agent", "from the agent, or dir:client"],
  ["size:>10kb", "large frames"],
  ["ms:>500", "slow answers"],
  ["bad:", "frames that break a rule"],
  ["-chunk", "without this word"],
];

/** The list of all frames, with its filter. */
export class FramesView implements PageView {
  readonly #app: App;
  readonly #rows = new FrameRows();
  readonly #expanded = new Set<number>();
  readonly #search: FrameSearch;
  readonly #list: RowList;
  #key = "";
  #recording: PageRecording | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(app: App) {
    this.#app = app;
    this.#search = new FrameSearch((isNew) => {
      if (isNew) this.#key = "";
      app.render();
    });
    this.#list = new RowList({
      label: "Frames",
      name: "frames-list",
      columns: [
        { title: "#", label: "Number", name: "c-number" },
        { title: "Time", name: "c-time" },
        { title: "", label: "Direction", name: "c-dir" },
        { title: "Method", name: "c-method" },
        { title: "Content", name: "c-words" },
        { title: "Id", name: "c-id" },
        { title: "Size", name: "c-size" },
        { title: "Took", name: "c-took" },
      ],
      fill: (cells, index, row) => this.#fill(cells, index, row),
      onSelect: (index, isOpened) => this.#selectIndex(index, isOpened),
      onScroll: (isAtEnd) => {
        if (app.isFollowing === isAtEnd) return;
        app.isFollowing = isAtEnd;
        app.render();
      },
    });
  }

  /** The rows that the list shows, for an export; undefined if it shows all. */
  get shownRows(): readonly number[] | undefined {
    return this.#search.matches;
  }

  render(): TemplateResult {
    const { recording, link } = this.#app;
    if (!recording) return html``;
    this.#search.ensure(recording, link.query);
    this.#extend(recording);
    const active = link.row < 0 ? -1 : this.#rows.indexOf(link.row);
    const isAtEnd = this.#app.isFollowing && recording.state.type === "live";
    this.#list.update(this.#rows.length, active);
    if (isAtEnd) this.#list.toEnd();
    return html`<div class="toolbar">
        <label class="search">
          ${icon("search")}
          <input
            id="filter"
            type="search"
            aria-label="Filter frames"
            placeholder="Filter: words, -word, /regex/, method: kind: ms:&gt;500 …"
            autocomplete="off"
            spellcheck="false"
            .value=${link.query}
            @input=${(event: Event) => this.#typed(event)}
            @keydown=${(event: KeyboardEvent) => this.#inputKey(event)}
          />
        </label>
        ${this.#status(recording)}
        ${toggle("Fold chunks", this.#app.isFolded, () => this.#toggle("isFolded"))}
        ${toggle("Times from selection", this.#app.isRelative, () => this.#toggle("isRelative"))}
      </div>
      ${this.#search.faults.map((fault) => html`<p class="note bad-filter">${oneLine(fault)}</p>`)}
      ${this.#rows.length === 0 && !this.#search.isRunning ? this.#empty(recording) : nothing}
      <div class="fill" ?hidden=${this.#rows.length === 0}>${this.#list.element}</div>`;
  }

  move(step: ListStep): void {
    this.#selectIndex(this.#list.stepped(step), false);
    if (step === "last") {
      this.#app.isFollowing = true;
      this.#list.toEnd();
    }
  }

  key(key: string): boolean {
    if (key === "/") {
      const input = document.getElementById("filter");
      if (input instanceof HTMLInputElement) input.select();
      return true;
    }
    if (key === "f") {
      this.#toggle("isFolded");
      return true;
    }
    if (key === "x") return this.#expand();
    return false;
  }

  #extend(recording: PageRecording): void {
    const { isFolded, link } = this.#app;
    const key = JSON.stringify([isFolded, link.range, link.query, this.#expanded.size]);
    if (key !== this.#key || recording !== this.#recording) {
      if (recording !== this.#recording) this.#expanded.clear();
      this.#key = key;
      this.#recording = recording;
      this.#rows.clear();
    }
    const { matches } = this.#search;
    const expanded = this.#expanded;
    this.#rows.extend(recording.model, { matches, isFolded, expanded, range: link.range });
  }

  #fill(cells: readonly HTMLElement[], index: number, element: HTMLElement): void {
    const { recording, link, isRelative } = this.#app;
    if (!recording) return;
    const { frames } = recording.model;
    const row = this.#rows.first(index);
    const run = this.#rows.count(index);
    const findings = recording.findingsOf(row);
    const kind = frames.kind(row);
    const direction = frames.direction(row);
    const latency = frames.latency(row);
    const method = frames.method(row);
    const update = frames.update(row);
    const zero = isRelative && link.row >= 0 ? frames.ms(link.row) : undefined;
    const took = kind === "response" || kind === "error" ? latency : undefined;
    element.classList.toggle("is-error", kind === "error" || findings.some(isError));
    element.classList.toggle("is-noted", findings.length > 0);
    element.dataset["dir"] = direction;
    const texts = [
      count(row + 1),
      recording.isTimed ? clock(frames.ms(row) - (zero ?? 0), zero !== undefined) : "",
      direction === "in" ? "←" : "→",
      oneLine(update === "" ? nameOf(method, kind) : update),
      "",
      frames.id(row),
      bytes(frames.size(row)),
      took === undefined ? "" : duration(took),
    ];
    fillCells(cells, texts);
    cells[2]?.setAttribute("aria-label", direction === "in" ? "from the agent" : "from the client");
    if (cells[3]) cells[3].dataset["kind"] = kind;
    this.#fillWords(cells[4], row, run, findings.length);
  }

  #fillWords(cell: HTMLElement | undefined, row: number, run: number, findings: number): void {
    const model = this.#app.model;
    if (!cell || !model) return;
    const badges: HTMLElement[] = [];
    if (findings > 0)
      badges.push(
        badge("mark", `⚠ ${findings > 1 ? findings : ""}`.trim(), counted(findings, "finding")),
      );
    if (run > 1) badges.push(badge("run", `×${count(run)}`, counted(run, "frame")));
    const text = document.createElement("span");
    text.className = "words";
    const call = model.toolCalls[model.frames.tool(row)];
    text.textContent = oneLine(firstWords(model, row) || call?.title || "");
    cell.replaceChildren(...badges, text);
  }

  #status(recording: PageRecording): TemplateResult {
    const { matches, isRunning, tookMs } = this.#search;
    const all = recording.model.frames.count;
    const text =
      matches === undefined
        ? counted(all, "frame")
        : `${count(matches.length)} of ${count(all)}${isRunning ? " …" : `, ${duration(tookMs)}`}`;
    return html`<span class="muted figure" data-testid="matches">${text}</span>`;
  }

  #empty(recording: PageRecording): TemplateResult {
    const { query, range } = this.#app.link;
    const isComplete = recording.state.type === "done" && recording.findings !== undefined;
    if (query === "" && !range)
      return html`<div class="empty">
        <h2>No frames yet</h2>
        <p>
          ${
            recording.state.type === "done"
              ? "This recording has no frames."
              : "Frames appear here as soon as the client and the agent talk."
          }
        </p>
      </div>`;
    return html`<div class="empty">
      <h2>No frame matches${isComplete ? "" : " so far"}</h2>
      <p>All conditions must hold. Some to try:</p>
      <ul class="hints">
        ${HINTS.map(
          ([filter, meaning]) =>
            html`<li>
              <button class="chip" @click=${() => this.#app.go({ query: filter }, "replace")}>
                ${filter}
              </button>
              <span class="muted">${meaning}</span>
            </li>`,
        )}
      </ul>
      <p>
        <button
          class="button"
          @click=${() => this.#app.go({ query: "", range: undefined }, "replace")}
        >
          Show all frames
        </button>
      </p>
    </div>`;
  }

  #typed({ target }: Event): void {
    if (!(target instanceof HTMLInputElement)) return;
    const query = target.value;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#app.go({ query }, "replace"), INPUT_MS);
  }

  #inputKey(event: KeyboardEvent): void {
    if (event.key !== "ArrowDown" && event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    this.#list.element.focus();
  }

  #selectIndex(index: number, isOpened: boolean): void {
    this.#app.select(this.#rows.first(index), { open: isOpened });
  }

  #toggle(name: "isFolded" | "isRelative"): void {
    this.#app[name] = !this.#app[name];
    this.#key = "";
    this.#app.render();
  }

  /** Shows the chunks of the selected run one by one, or folds them again. */
  #expand(): boolean {
    const item = this.#app.model?.frames.item(this.#app.link.row) ?? -1;
    if (item < 0) return false;
    if (!this.#expanded.delete(item)) this.#expanded.add(item);
    this.#key = "";
    this.#app.render();
    return true;
  }
}

function isError({ severity }: { readonly severity: string }): boolean {
  return severity === "error";
}

function nameOf(method: string, kind: string): string {
  return method === "" ? kind : method;
}

function badge(name: string, text: string, label: string): HTMLElement {
  const made = element("span", { class: `badge ${name}`, role: "img", "aria-label": label });
  made.textContent = text;
  return made;
}
