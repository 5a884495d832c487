import { html, nothing, render, svg } from "lit-html";
import type { App } from "../app.ts";
import { Memo } from "../work.ts";
import type { PageRecording } from "../recording.ts";
import { Boxes, ColoredBoxes } from "./draw.ts";
import { type Density, timelineLanes, type TimelineLane } from "./lanes.ts";
import { timeScale } from "./scale.ts";
import { densityOf } from "./density.ts";

const HEIGHT = 40;
const CLICK_PIXELS = 4;

/** The whole session in one line. Dragging over it narrows the page to a stretch of time. */
export class TimeStrip {
  readonly element = document.createElement("div");
  readonly #app: App;
  readonly #memo = new Memo<ReturnType<typeof stripData>>();
  #dragFrom: number | undefined;
  #dragTo = 0;
  /** Everything that the picture was drawn from. */
  #drawn: readonly unknown[] = [];

  constructor(app: App) {
    this.#app = app;
    this.element.className = "strip";
    this.element.setAttribute("aria-hidden", "true");
    this.element.title = "Drag to narrow the time. Click to show everything.";
    this.element.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      this.#dragFrom = this.#dragTo = event.offsetX;
      this.element.setPointerCapture(event.pointerId);
    });
    this.element.addEventListener("pointermove", (event) => {
      if (this.#dragFrom === undefined) return;
      this.#dragTo = event.offsetX;
      this.draw();
    });
    this.element.addEventListener("pointerup", () => this.#drop());
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  draw(): void {
    const { recording, link } = this.#app;
    const width = this.element.clientWidth;
    if (!recording || width === 0) return;
    const data = this.#data(recording, width);
    const { findings } = recording;
    // The page is drawn for many reasons, and most of them change nothing here.
    const drawn = [data, findings, link.row, link.range, this.#dragFrom, this.#dragTo];
    if (drawn.every((value, index) => value === this.#drawn[index])) return;
    this.#drawn = drawn;
    const { scale, lanes, density } = data;
    const { frames } = recording.model;
    const x = (ms: number): number => (scale.at(ms) / scale.length) * width;
    const marks = new ColoredBoxes();
    for (const { from, to } of scale.folds) {
      const [start, end] = [from, to].map((place) => (place / scale.length) * width);
      marks.of("line").add(start ?? 0, 8, Math.max(1, (end ?? 0) - (start ?? 0)), 2);
    }
    for (const { frames: numbers, severity } of findings ?? []) {
      const row = (numbers[0] ?? 0) - 1;
      const color = severity === "error" ? "error" : "person";
      if (row >= 0 && row < frames.count)
        marks.of(color).add(x(frames.ms(row)) - 1, HEIGHT - 7, 3, 5);
    }
    if (link.row >= 0 && link.row < frames.count)
      marks.of("accent").add(Math.round(x(frames.ms(link.row))), 0, 1.5, HEIGHT);
    render(
      html`<svg width=${width} height=${HEIGHT}>
        ${drawnDensity(density)} ${drawnTurns(lanes, x)} ${marks.drawn()}
        ${this.#drawnRange(width, x)}
      </svg>`,
      this.element,
    );
  }

  #data(recording: PageRecording, width: number) {
    return this.#memo.get(recording, () => stripData(recording, width), String(width));
  }

  #drawnRange(width: number, x: (ms: number) => number): unknown {
    const { range } = this.#app.link;
    const ends =
      this.#dragFrom === undefined
        ? range?.map((ms) => x(ms))
        : [this.#dragFrom, this.#dragTo].toSorted((a, b) => a - b);
    const [from, to] = ends ?? [];
    if (from === undefined || to === undefined) return nothing;
    const rest = new Boxes();
    rest.add(0, 0, from, HEIGHT);
    rest.add(to, 0, Math.max(0, width - to), HEIGHT);
    const wide = Math.max(1, to - from - 1);
    return [
      rest.drawn("panel", 0.72),
      svg`<rect x=${from + 0.5} y="0.5" width=${wide} height=${HEIGHT - 1} fill="none" stroke="var(--accent)" />`,
    ];
  }

  #drop(): void {
    const from = this.#dragFrom;
    this.#dragFrom = undefined;
    const { recording } = this.#app;
    if (from === undefined || !recording) return;
    if (Math.abs(this.#dragTo - from) < CLICK_PIXELS) {
      this.#app.go({ range: undefined });
      return;
    }
    const width = this.element.clientWidth;
    const { scale } = this.#data(recording, width);
    const ms = (at: number): number =>
      scale.msAt((Math.max(0, Math.min(width, at)) / width) * scale.length);
    const [start = 0, end = 0] = [from, this.#dragTo].toSorted((a, b) => a - b);
    this.#app.go({ range: [Math.floor(ms(start)), Math.ceil(ms(end)) + 1] });
  }
}

function stripData({ model }: PageRecording, width: number) {
  const scale = timeScale(model.frames.ms(0) || 0, model.lastMs, model.idleGaps);
  const density = densityOf(model.frames, scale, [0, scale.length], width / 2, () => true);
  return { scale, lanes: timelineLanes(model), density };
}

function drawnDensity({ fromAgent, fromClient, most }: Density): readonly unknown[] {
  return [[fromAgent, "agent"] as const, [fromClient, "client"] as const].map(([side, color]) => {
    const boxes = new Boxes();
    for (const [column, sum] of side.entries()) {
      if (sum === 0) continue;
      const tall = 2 + 14 * Math.sqrt(sum / most);
      boxes.add(column * 2, HEIGHT - 9 - tall, 1.5, tall);
    }
    return boxes.drawn(color, 0.55);
  });
}

function drawnTurns(lanes: readonly TimelineLane[], x: (ms: number) => number): readonly unknown[] {
  const [turns, parts] = [new ColoredBoxes(), new ColoredBoxes()];
  for (const bar of lanes.flatMap(({ bars }) => bars)) {
    if (bar.kind !== "turn") continue;
    const from = x(bar.fromMs);
    turns
      .of(bar.isFailed === true ? "error" : "agent")
      .add(from, 5, Math.max(2, x(bar.toMs) - from), 8);
    for (const { cause, fromMs, toMs } of bar.parts ?? [])
      parts.of(cause).add(x(fromMs), 5, Math.max(1, x(toMs) - x(fromMs)), 8);
  }
  return [turns.drawn(), parts.drawn()];
}
