import type { App } from "../app.ts";
import { Memo } from "../work.ts";
import type { PageRecording } from "../recording.ts";
import { fitCanvas, type CanvasColours, canvasColours } from "./draw.ts";
import { type Density, densityOf, timelineLanes, type TimelineLane, timeScale } from "./lanes.ts";

const HEIGHT = 40;
const CLICK_PIXELS = 4;

/** The whole session in one line. Dragging over it narrows the page to a stretch of time. */
export class TimeStrip {
  readonly element = document.createElement("div");
  readonly #app: App;
  readonly #canvas = document.createElement("canvas");
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
    this.element.append(this.#canvas);
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
    const colours = canvasColours();
    const { findings } = recording;
    // The page is drawn for many reasons, and most of them change nothing here.
    const drawn = [data, colours, findings, link.row, link.range, this.#dragFrom, this.#dragTo];
    if (drawn.every((value, index) => value === this.#drawn[index])) return;
    this.#drawn = drawn;
    const context = fitCanvas(this.#canvas, width, HEIGHT);
    if (!context) return;
    const { scale, lanes, density } = data;
    context.clearRect(0, 0, width, HEIGHT);
    const x = (ms: number): number => (scale.at(ms) / scale.length) * width;
    drawDensity(context, density, colours);
    drawTurns(context, lanes, x, colours);
    for (const fold of scale.folds) {
      context.fillStyle = colours.line;
      const from = (fold.from / scale.length) * width;
      context.fillRect(from, 8, Math.max(1, ((fold.to - fold.from) / scale.length) * width), 2);
    }
    const { frames } = recording.model;
    for (const { frames: numbers, severity } of findings ?? []) {
      const row = (numbers[0] ?? 0) - 1;
      if (row < 0 || row >= frames.count) continue;
      context.fillStyle = severity === "error" ? colours.error : colours.person;
      context.fillRect(x(frames.ms(row)) - 1, HEIGHT - 7, 3, 5);
    }
    if (link.row >= 0 && link.row < frames.count) {
      context.fillStyle = colours.accent;
      context.fillRect(Math.round(x(frames.ms(link.row))), 0, 1.5, HEIGHT);
    }
    this.#drawRange(context, width, x, colours);
  }

  #data(recording: PageRecording, width: number) {
    return this.#memo.get(recording, () => stripData(recording, width), String(width));
  }

  #drawRange(
    context: CanvasRenderingContext2D,
    width: number,
    x: (ms: number) => number,
    colours: CanvasColours,
  ): void {
    const { range } = this.#app.link;
    const isDragging = this.#dragFrom !== undefined;
    const ends = isDragging
      ? [this.#dragFrom ?? 0, this.#dragTo].toSorted((a, b) => a - b)
      : range?.map((ms) => x(ms));
    const [from, to] = ends ?? [];
    if (from === undefined || to === undefined) return;
    context.fillStyle = colours.panel;
    context.globalAlpha = 0.72;
    context.fillRect(0, 0, from, HEIGHT);
    context.fillRect(to, 0, width - to, HEIGHT);
    context.globalAlpha = 1;
    context.strokeStyle = colours.accent;
    context.strokeRect(from + 0.5, 0.5, Math.max(1, to - from - 1), HEIGHT - 1);
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

function drawDensity(
  context: CanvasRenderingContext2D,
  { fromAgent, fromClient, most }: Density,
  colours: CanvasColours,
): void {
  if (most === 0) return;
  for (const [side, colour] of [
    [fromAgent, colours.agent],
    [fromClient, colours.client],
  ] as const) {
    context.fillStyle = colour;
    context.globalAlpha = 0.55;
    for (let column = 0; column < side.length; column++) {
      const sum = side[column] ?? 0;
      if (sum === 0) continue;
      const tall = 2 + 14 * Math.sqrt(sum / most);
      context.fillRect(column * 2, HEIGHT - 9 - tall, 1.5, tall);
    }
  }
  context.globalAlpha = 1;
}

function drawTurns(
  context: CanvasRenderingContext2D,
  lanes: readonly TimelineLane[],
  x: (ms: number) => number,
  colours: CanvasColours,
): void {
  for (const { bars } of lanes)
    for (const bar of bars) {
      if (bar.kind !== "turn") continue;
      const [from, to] = [x(bar.fromMs), x(bar.toMs)];
      context.fillStyle = bar.isFailed === true ? colours.error : colours.agent;
      context.fillRect(from, 5, Math.max(2, to - from), 8);
      for (const { cause, fromMs, toMs } of bar.parts ?? []) {
        context.fillStyle = colours[cause];
        context.fillRect(x(fromMs), 5, Math.max(1, x(toMs) - x(fromMs)), 8);
      }
    }
}
