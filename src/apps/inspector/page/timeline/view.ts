import { html, nothing, render, type TemplateResult } from "lit-html";
import { type App, type ListStep, PageView } from "../app.ts";
import { Memo } from "../work.ts";
import { absent, CAUSES, chip, element, empty, iconButton, toggle } from "../parts/ui.ts";
import { clock, count, duration, line as oneLine } from "../parts/format.ts";
import { stepped, type RowColumn, RowList } from "../parts/row-list.ts";
import type { PageRecording } from "../recording.ts";
import { GUTTER, LANE_HEAD, laneTop, LINE, pictureHeight, timelinePicture, xOf } from "./draw.ts";
import { type Density, type TimelineBar, timelineLanes, type TimelineLane } from "./lanes.ts";
import { timeScale, type TimeScale } from "./scale.ts";
import { densityOf } from "./density.ts";

interface TimelineData {
  readonly scale: TimeScale;
  readonly lanes: readonly TimelineLane[];
  readonly bars: readonly TimelineBar[];
  readonly hasOutside: boolean;
}

const COLUMNS: readonly RowColumn<TimelineBar>[] = [
  { title: "Start", name: "c-time", cell: ({ fromMs }) => clock(fromMs) },
  { title: "Took", name: "c-took", cell: ({ fromMs, toMs }) => duration(toMs - fromMs) },
  { title: "Kind", name: "c-kind", cell: ({ kind }) => kind },
  {
    title: "Name",
    name: "c-words",
    cell: ({ label, row }) => `${oneLine(label)} (#${count(row + 1)})`,
  },
];
const ZOOM = 1.4;
const PAN = 0.2;

/** The sessions over time: turns, tools, waits, messages. */
export class TimelineView extends PageView {
  readonly #box = element("div", {
    class: "timeline-box",
    tabindex: "0",
    role: "group",
    "aria-label": "Timeline. The arrow keys move between bars. The table has the same data.",
  });
  readonly #list: RowList<TimelineBar>;
  readonly #memo = new Memo<TimelineData>();
  readonly #densities = new Memo<{
    readonly lanes: readonly Density[];
    readonly outside: Density | undefined;
  }>();
  #isTrueTime = false;
  #isTable = false;
  #view: readonly [from: number, to: number] | undefined;
  #bar: TimelineBar | undefined;
  #recording: PageRecording | undefined;

  constructor(app: App) {
    super(app);
    this.#box.addEventListener("click", (event) => this.#clicked(event));
    this.#box.addEventListener("wheel", (event) => this.#wheeled(event), { passive: false });
    new ResizeObserver(() => app.render()).observe(this.#box);
    this.#list = new RowList({
      label: "Timeline as a table",
      name: "timeline-list",
      onSelect: (bar, isOpened) => this.#choose(bar, isOpened),
    });
  }

  render(recording: PageRecording): TemplateResult {
    if (recording !== this.#recording) {
      this.#recording = recording;
      this.#view = undefined;
      this.#bar = undefined;
    }
    if (!recording.isTimed) return empty("No times", "This capture has no times.");
    const { bars, lanes, scale } = this.#data(recording);
    if (lanes.length === 0)
      return absent(this.app, recording, "No session", "The client opened no session.");
    const selected = this.#selectedBar(recording);
    if (this.#isTable)
      this.#list.show({
        rows: bars,
        active: selected ? bars.indexOf(selected) : -1,
        columns: COLUMNS,
      });
    return html`<div class="toolbar">
        <span class="legends">
          ${CAUSES.map((cause) => html`<span class="legend"><i class=${`cause ${cause}`}></i>${cause}</span>`)}
        </span>
        <span class="spacer"></span>
        ${
          scale.folds.length > 0 || this.#isTrueTime
            ? toggle("True time", this.#isTrueTime, () => {
                this.#isTrueTime = !this.#isTrueTime;
                this.#showAll();
              })
            : nothing
        }
        ${toggle("Show as table", this.#isTable, () => {
          this.#isTable = !this.#isTable;
          this.#showAll();
        })}
        <span class="buttons" ?hidden=${this.#isTable}>
          ${iconButton("minus", "Zoom out", () => this.key("s", recording), "Zoom out (s)")}
          ${iconButton("plus", "Zoom in", () => this.key("w", recording), "Zoom in (w)")}
          ${chip("All", () => this.#showAll(), "button")}
        </span>
      </div>
      <p class="bar-line" role="status">
        ${
          selected
            ? html`<strong>${oneLine(selected.label)}</strong>
                <span class="muted"
                  >${selected.kind}, ${duration(selected.toMs - selected.fromMs)} from
                  ${clock(selected.fromMs)}</span
                >
                ${chip("Narrow to this", () =>
                  this.app.go({
                    range: [Math.floor(selected.fromMs), Math.ceil(selected.toMs) + 1],
                  }),
                )}`
            : html`<span class="muted"
                >Click a bar, or use the arrow keys. w and s zoom, a and d move.</span
              >`
        }
      </p>
      <div class="fill">${this.#isTable ? this.#list.element : this.#box}</div>`;
  }

  override drawn(recording: PageRecording): void {
    const { link } = this.app;
    const width = this.#box.clientWidth;
    if (this.#isTable || width === 0 || !this.#box.isConnected) return;
    const { scale, lanes, hasOutside } = this.#data(recording);
    const height = Math.max(pictureHeight(lanes, hasOutside), this.#box.clientHeight - 4);
    const view = this.#visible(scale);
    const { frames } = recording.model;
    const densities = this.#densities.get(
      recording,
      () => {
        const columns = (width - GUTTER - 12) / 2;
        const of = (passes: (row: number) => boolean): Density =>
          densityOf(frames, scale, view, columns, passes);
        return {
          lanes: lanes.map(({ session }) =>
            of((row) => frames.session(row) === session && frames.turn(row) >= 0),
          ),
          outside: hasOutside ? of((row) => frames.turn(row) < 0) : undefined,
        };
      },
      `${view.join(" ")} ${width} ${this.#isTrueTime}`,
    );
    const picture = {
      width,
      height,
      scale,
      view,
      lanes,
      densities: densities.lanes,
      outside: densities.outside,
      selected: this.#selectedBar(recording),
      selectedMs: link.row >= 0 && link.row < frames.count ? frames.ms(link.row) : undefined,
    };
    render(timelinePicture(picture), this.#box);
  }

  override move(step: ListStep, recording: PageRecording): void {
    const { bars } = this.#data(recording);
    const selected = this.#selectedBar(recording);
    const at = selected ? bars.indexOf(selected) : -1;
    this.#choose(bars[stepped(step, at, bars.length - 1, 10)], false);
  }

  override key(key: string, recording: PageRecording): boolean {
    const { scale } = this.#data(recording);
    const [from, to] = this.#visible(scale);
    const size = to - from;
    switch (key) {
      case "w":
        return this.#zoom(scale, size / ZOOM, (from + to) / 2);
      case "s":
        return this.#zoom(scale, size * ZOOM, (from + to) / 2);
      case "a":
        return this.#zoom(scale, size, (from + to) / 2 - size * PAN);
      case "d":
        return this.#zoom(scale, size, (from + to) / 2 + size * PAN);
      case "0":
        this.#showAll();
        return true;
      case "ArrowRight":
        this.move("next", recording);
        return true;
      case "ArrowLeft":
        this.move("previous", recording);
        return true;
      default:
        return false;
    }
  }

  #data(recording: PageRecording): TimelineData {
    const { range } = this.app.link;
    return this.#memo.get(
      recording,
      () => {
        const { model } = recording;
        const { frames } = model;
        const from = range?.[0] ?? (frames.ms(0) || 0);
        const to = Math.max(from + 1, range?.[1] ?? model.lastMs);
        const scale = timeScale(from, to, this.#isTrueTime ? [] : model.idleGaps);
        const lanes = timelineLanes(model);
        const bars = lanes
          .flatMap(({ bars: own }) => own)
          .filter((bar) => bar.toMs >= from && bar.fromMs <= to)
          .toSorted((a, b) => a.fromMs - b.fromMs || a.line - b.line);
        let hasOutside = false;
        for (let row = 0; row < frames.count && !hasOutside; row++)
          hasOutside = frames.turn(row) < 0;
        return { scale, lanes, bars, hasOutside };
      },
      `${range?.join("-") ?? ""} ${this.#isTrueTime}`,
    );
  }

  #visible(scale: TimeScale): readonly [from: number, to: number] {
    return this.#view ?? [0, scale.length];
  }

  #zoom(scale: TimeScale, size: number, middle: number): boolean {
    const length = Math.max(Math.min(size, scale.length), scale.length / 100_000);
    const from = Math.max(0, Math.min(scale.length - length, middle - length / 2));
    this.#view = length >= scale.length ? undefined : [from, from + length];
    this.app.render();
    return true;
  }

  #wheeled(event: WheelEvent): void {
    const { recording } = this.app;
    if (!recording || (!event.ctrlKey && Math.abs(event.deltaX) <= Math.abs(event.deltaY))) return;
    event.preventDefault();
    const { scale } = this.#data(recording);
    const [from, to] = this.#visible(scale);
    const size = to - from;
    if (!event.ctrlKey) {
      this.#zoom(scale, size, (from + to) / 2 + (event.deltaX / this.#box.clientWidth) * size);
      return;
    }
    const share = (event.offsetX - GUTTER) / (this.#box.clientWidth - GUTTER);
    const length = size * (event.deltaY > 0 ? ZOOM : 1 / ZOOM);
    this.#zoom(scale, length, from + share * size + (0.5 - share) * length);
  }

  #clicked(event: MouseEvent): void {
    const { recording } = this.app;
    if (!recording) return;
    const { scale, lanes } = this.#data(recording);
    const x = xOf({ scale, view: this.#visible(scale), width: this.#box.clientWidth });
    const box = this.#box.getBoundingClientRect();
    const [atX, atY] = [event.clientX - box.left, event.clientY - box.top + this.#box.scrollTop];
    for (const [index, { bars, lines }] of lanes.entries()) {
      const line = Math.floor((atY - laneTop(lanes, index) - LANE_HEAD) / LINE);
      if (line < 0 || line >= lines.length) continue;
      const hit = bars.findLast(
        (bar) => bar.line === line && x(bar.fromMs) - 4 <= atX && x(bar.toMs) + 4 >= atX,
      );
      if (hit) return this.#choose(hit, true);
    }
  }

  #choose(bar: TimelineBar | undefined, isOpened: boolean): void {
    if (!bar) return;
    this.#bar = bar;
    this.app.select(bar.row, { open: isOpened });
  }

  /** The bar that was chosen, or the one that the selected frame belongs to. */
  #selectedBar(recording: PageRecording): TimelineBar | undefined {
    const { row } = this.app.link;
    if (row < 0 || row >= recording.model.frames.count) return undefined;
    const { bars } = this.#data(recording);
    if (this.#bar?.row === row) {
      const { kind } = this.#bar;
      return bars.find((bar) => bar.row === row && bar.kind === kind);
    }
    const { frames, toolCalls, turns } = recording.model;
    const owner = toolCalls[frames.tool(row)]?.frames[0] ?? turns[frames.turn(row)]?.prompt ?? row;
    return bars.find((bar) => bar.row === row) ?? bars.find((bar) => bar.row === owner);
  }

  #showAll(): void {
    this.#view = undefined;
    this.app.render();
  }
}
