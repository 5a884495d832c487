import { html, nothing, type TemplateResult } from "lit-html";
import { firstWords, type FrameTable } from "../../../../trace/index.ts";
import { type App, type ListStep, PageView } from "../app.ts";
import { bytes, clock, count, countOf, duration, line as oneLine } from "../parts/format.ts";
import { icon, type Shown, toggle } from "../parts/ui.ts";
import { type RowColumn, RowList } from "../parts/row-list.ts";
import type { PageRecording } from "../recording.ts";
import { type FrameLine, FrameRows, FrameSearch } from "./frame-rows.ts";

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
export class FramesView extends PageView {
  readonly #rows = new FrameRows();
  readonly #expanded = new Set<number>();
  readonly #search: FrameSearch;
  readonly #list: RowList<FrameLine>;
  #key = "";
  #recording: PageRecording | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(app: App) {
    super(app);
    this.#search = new FrameSearch((isNew) => {
      if (isNew) this.#key = "";
      app.render();
    });
    this.#list = new RowList({
      label: "Frames",
      name: "frames-list",
      onSelect: ({ row }, isOpened) => app.select(row, { open: isOpened }),
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

  render(recording: PageRecording): TemplateResult {
    const { link } = this.app;
    this.#search.ensure(recording, link.query);
    this.#extend(recording);
    const active = link.row < 0 ? -1 : this.#rows.indexOf(link.row);
    const isAtEnd = this.app.isFollowing && recording.state.type === "live";
    this.#list.show({
      rows: this.#rows,
      active,
      columns: this.#columns(recording),
      marks: ({ row }) => marksOf(recording, row),
    });
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
        ${toggle("Fold chunks", this.app.isFolded, () => this.#toggle("isFolded"))}
        ${toggle("Times from selection", this.app.isRelative, () => this.#toggle("isRelative"))}
      </div>
      ${this.#search.faults.map((fault) => html`<p class="note bad-filter">${oneLine(fault)}</p>`)}
      ${this.#rows.length === 0 && !this.#search.isRunning ? this.#empty(recording) : nothing}
      <div class="fill" ?hidden=${this.#rows.length === 0}>${this.#list.element}</div>`;
  }

  override move(step: ListStep): void {
    this.#list.move(step);
    if (step === "last") {
      this.app.isFollowing = true;
      this.#list.toEnd();
    }
  }

  override key(key: string): boolean {
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
    const { isFolded, link } = this.app;
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

  #columns(recording: PageRecording): readonly RowColumn<FrameLine>[] {
    const { link, isRelative } = this.app;
    const { frames } = recording.model;
    const zero = isRelative && link.row >= 0 ? frames.ms(link.row) : undefined;
    const timeOf = (row: number): string =>
      recording.isTimed ? clock(frames.ms(row) - (zero ?? 0), zero !== undefined) : "";
    return [
      { title: "#", label: "Number", name: "c-number", cell: ({ row }) => count(row + 1) },
      { title: "Time", name: "c-time", cell: ({ row }) => timeOf(row) },
      {
        title: "",
        label: "Direction",
        name: "c-dir",
        cell: ({ row }) =>
          frames.direction(row) === "in"
            ? html`<span role="img" aria-label="from the agent">←</span>`
            : html`<span role="img" aria-label="from the client">→</span>`,
      },
      {
        title: "Method",
        name: "c-method",
        cell: ({ row }) => oneLine(frames.update(row) || frames.method(row) || frames.kind(row)),
      },
      { title: "Content", name: "c-words", cell: (frame) => wordsOf(recording, frame) },
      { title: "Id", name: "c-id", cell: ({ row }) => frames.id(row) },
      { title: "Size", name: "c-size", cell: ({ row }) => bytes(frames.size(row)) },
      { title: "Took", name: "c-took", cell: ({ row }) => tookOf(frames, row) },
    ];
  }

  #status(recording: PageRecording): TemplateResult {
    const { matches, isRunning, tookMs } = this.#search;
    const all = recording.model.frames.count;
    const text =
      matches === undefined
        ? countOf(all, "frame")
        : `${count(matches.length)} of ${count(all)}${isRunning ? " …" : `, ${duration(tookMs)}`}`;
    return html`<span class="muted figure" data-testid="matches">${text}</span>`;
  }

  #empty(recording: PageRecording): TemplateResult {
    const { query, range } = this.app.link;
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
              <button class="chip" @click=${() => this.app.go({ query: filter }, "replace")}>
                ${filter}
              </button>
              <span class="muted">${meaning}</span>
            </li>`,
        )}
      </ul>
      <p>
        <button
          class="button"
          @click=${() => this.app.go({ query: "", range: undefined }, "replace")}
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
    this.#timer = setTimeout(() => this.app.go({ query }, "replace"), INPUT_MS);
  }

  #inputKey(event: KeyboardEvent): void {
    if (event.key !== "ArrowDown" && event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    this.#list.element.focus();
  }

  #toggle(name: "isFolded" | "isRelative"): void {
    this.app[name] = !this.app[name];
    this.#key = "";
    this.app.render();
  }

  /** Shows the chunks of the selected run one by one, or folds them again. */
  #expand(): boolean {
    const item = this.app.model?.frames.item(this.app.link.row) ?? -1;
    if (item < 0) return false;
    if (!this.#expanded.delete(item)) this.#expanded.add(item);
    this.#key = "";
    this.app.render();
    return true;
  }
}

function tookOf(frames: FrameTable, row: number): string {
  const kind = frames.kind(row);
  const latency = kind === "response" || kind === "error" ? frames.latency(row) : undefined;
  return latency === undefined ? "" : duration(latency);
}

function isError({ severity }: { readonly severity: string }): boolean {
  return severity === "error";
}

function marksOf({ model: { frames }, findingsOf }: PageRecording, row: number) {
  const findings = findingsOf(row);
  const kind = frames.kind(row);
  const isBad = kind === "error" || findings.some(isError);
  return { kind, dir: frames.direction(row), name: isBad ? "is-error" : "" };
}

/** The content of a frame in words, after its marks. */
function wordsOf({ model, findingsOf }: PageRecording, { row, count: run }: FrameLine): Shown {
  const findings = findingsOf(row).length;
  const call = model.toolCalls[model.frames.tool(row)];
  return html`${
      findings > 0
        ? badge("mark", findings > 1 ? `⚠ ${findings}` : "⚠", countOf(findings, "finding"))
        : nothing
    }${run > 1 ? badge("run", `×${count(run)}`, countOf(run, "frame")) : nothing}<span class="words"
      >${oneLine(firstWords(model, row) || call?.title || "")}</span
    >`;
}

function badge(name: string, text: string, label: string): TemplateResult {
  return html`<span class=${`badge ${name}`} role="img" aria-label=${label}>${text}</span>`;
}
