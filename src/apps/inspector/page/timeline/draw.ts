import { clock, duration, line as oneLine } from "../parts/format.ts";
import type { Density, TimelineBar, TimelineLane, TimeScale } from "./lanes.ts";

/** Heights in pixels. */
export const AXIS = 26;
export const LANE_HEAD = 24;
export const LINE = 22;
const BAR = 15;
export const GUTTER = 76;

export interface TimelinePicture {
  readonly context: CanvasRenderingContext2D;
  readonly width: number;
  readonly height: number;
  readonly scale: TimeScale;
  readonly view: readonly [from: number, to: number];
  readonly colours: CanvasColours;
  readonly lanes: readonly TimelineLane[];
  readonly densities: readonly Density[];
  /** Frames outside any turn. */
  readonly outside: Density | undefined;
  readonly selected: TimelineBar | undefined;
  readonly selectedMs: number | undefined;
}

export function laneTop(lanes: readonly TimelineLane[], index: number): number {
  return lanes
    .slice(0, index)
    .reduce((top, { lines }) => top + LANE_HEAD + lines.length * LINE, AXIS);
}

export function pictureHeight(lanes: readonly TimelineLane[], hasOutside: boolean): number {
  return laneTop(lanes, lanes.length) + (hasOutside ? LANE_HEAD + LINE : 0) + 8;
}

export function xOf({ scale, view, width }: Pick<TimelinePicture, "scale" | "view" | "width">) {
  const room = width - GUTTER - 12;
  const factor = room / (view[1] - view[0]);
  return (ms: number): number => GUTTER + (scale.at(ms) - view[0]) * factor;
}

export function drawTimeline(picture: TimelinePicture): void {
  const { context, width, height, lanes, colours } = picture;
  context.clearRect(0, 0, width, height);
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  drawAxis(picture);
  for (const [index, lane] of lanes.entries()) drawLane(picture, lane, index);
  if (picture.outside) {
    const top = laneTop(lanes, lanes.length);
    laneTitle(picture, "Outside turns", top);
    drawDensity(picture, picture.outside, top + LANE_HEAD, colours.muted);
  }
  drawSelection(picture);
}

function drawAxis(picture: TimelinePicture): void {
  const { context, width, height, scale, view, colours } = picture;
  const x = xOf(picture);
  const [fromMs, toMs] = [scale.msAt(view[0]), scale.msAt(view[1])];
  const room = width - GUTTER;
  context.fillStyle = colours.muted;
  context.textAlign = "center";
  let last = -100;
  const step = niceStep((view[1] - view[0]) / Math.max(2, room / 110));
  for (let ms = Math.ceil(fromMs / step) * step; ms <= toMs; ms += step) {
    const at = x(ms);
    if (at - last < 70 || at < GUTTER || at > width - 30) continue;
    last = at;
    context.fillStyle = colours.grid;
    context.fillRect(Math.round(at), AXIS - 4, 1, height);
    context.fillStyle = colours.muted;
    context.fillText(axisText(ms, step), at, 11);
  }
  for (const fold of scale.folds) {
    if (fold.to < view[0] || fold.from > view[1]) continue;
    drawFold(picture, fold);
  }
}

function drawFold(
  { context, width, height, view, colours }: TimelinePicture,
  fold: { readonly from: number; readonly to: number; readonly ms: number },
): void {
  const factor = (width - GUTTER - 12) / (view[1] - view[0]);
  const left = Math.max(GUTTER, GUTTER + (fold.from - view[0]) * factor);
  const right = GUTTER + (fold.to - view[0]) * factor;
  context.save();
  context.beginPath();
  context.rect(left, AXIS, right - left, height - AXIS);
  context.clip();
  context.strokeStyle = colours.line;
  context.lineWidth = 1;
  context.beginPath();
  for (let at = left - height; at < right; at += 7) {
    context.moveTo(at, height);
    context.lineTo(at + height, 0);
  }
  context.stroke();
  context.restore();
  const text = `idle ${duration(fold.ms)}`;
  if (right - left < 20) return;
  const wide = context.measureText(text).width + 8;
  const middle = Math.max((left + right) / 2, GUTTER + wide / 2);
  context.fillStyle = colours.panel;
  context.fillRect(middle - wide / 2, AXIS + 4, wide, 16);
  context.fillStyle = colours.muted;
  context.fillText(text, middle, AXIS + 12);
}

function drawLane(picture: TimelinePicture, lane: TimelineLane, index: number): void {
  const { context, densities, colours } = picture;
  const top = laneTop(picture.lanes, index);
  laneTitle(picture, `Session ${index + 1} · ${oneLine(lane.title)}`, top);
  context.textAlign = "right";
  context.fillStyle = colours.muted;
  for (const [number, name] of lane.lines.entries())
    context.fillText(name, GUTTER - 10, top + LANE_HEAD + number * LINE + LINE / 2);
  const density = densities[index];
  if (density) drawDensity(picture, density, top + LANE_HEAD + LINE, colours.agent);
  for (const bar of lane.bars) drawBar(picture, bar, top + LANE_HEAD + bar.line * LINE);
}

function laneTitle(picture: TimelinePicture, title: string, top: number): void {
  const { context, width, colours } = picture;
  context.fillStyle = colours.line;
  context.fillRect(0, top, width, 1);
  context.textAlign = "left";
  context.fillStyle = colours.text;
  context.fillText(cut(context, title, width - 24), 12, top + LANE_HEAD / 2 + 2);
}

function drawDensity(
  { context, width }: TimelinePicture,
  { fromAgent, fromClient, most }: Density,
  top: number,
  colour: string,
): void {
  if (most === 0) return;
  const room = width - GUTTER - 12;
  const columns = fromAgent.length;
  context.fillStyle = colour;
  context.globalAlpha = 0.75;
  for (let column = 0; column < columns; column++) {
    const sum = (fromAgent[column] ?? 0) + (fromClient[column] ?? 0);
    if (sum === 0) continue;
    const tall = 3 + (BAR - 2) * Math.sqrt(Math.min(1, sum / most));
    context.fillRect(GUTTER + (column * room) / columns, top + LINE - 4 - tall, 1.5, tall);
  }
  context.globalAlpha = 1;
}

function drawBar(picture: TimelinePicture, bar: TimelineBar, top: number): void {
  const { context, width, colours } = picture;
  const x = xOf(picture);
  const [left, right] = [x(bar.fromMs), x(bar.toMs)];
  if (right < GUTTER - 2 || left > width) return;
  const y = top + (LINE - BAR) / 2;
  if (bar.kind === "cancel" || bar.kind === "error") {
    drawMark(picture, left, y, bar.kind);
    return;
  }
  const from = Math.max(left, GUTTER);
  const wide = Math.max(2, right - from);
  context.fillStyle = bar.kind === "turn" ? colours.agent : colours[bar.kind];
  rounded(context, from, y, wide, BAR);
  for (const { cause, fromMs, toMs } of bar.parts ?? []) {
    context.fillStyle = colours[cause];
    const [start, end] = [Math.max(x(fromMs), GUTTER), x(toMs)];
    if (end > start) context.fillRect(start, y, Math.max(1, end - start), BAR);
  }
  if (bar.isFailed === true) {
    context.fillStyle = colours.error;
    context.fillRect(from, y + BAR - 3, wide, 3);
  }
  if (wide < 34) return;
  context.fillStyle = "#fff";
  context.textAlign = "left";
  context.fillText(cut(context, oneLine(bar.label), wide - 10), from + 5, y + BAR / 2 + 0.5);
}

/** A cancellation is a square, an error a triangle. */
function drawMark(
  { context, colours }: TimelinePicture,
  x: number,
  y: number,
  kind: "cancel" | "error",
): void {
  context.fillStyle = kind === "error" ? colours.error : colours.text;
  context.strokeStyle = colours.panel;
  context.lineWidth = 2;
  context.beginPath();
  if (kind === "cancel") context.rect(x - 4, y + 3, 9, 9);
  else {
    context.moveTo(x, y);
    context.lineTo(x + 7, y + BAR);
    context.lineTo(x - 7, y + BAR);
    context.closePath();
  }
  context.stroke();
  context.fill();
}

function drawSelection(picture: TimelinePicture): void {
  const { context, height, colours, selected, selectedMs, lanes } = picture;
  const x = xOf(picture);
  context.strokeStyle = colours.accent;
  context.lineWidth = 1;
  if (selectedMs !== undefined) {
    const at = Math.round(x(selectedMs)) + 0.5;
    if (at >= GUTTER) {
      context.beginPath();
      context.moveTo(at, AXIS - 4);
      context.lineTo(at, height);
      context.stroke();
    }
  }
  if (!selected) return;
  const index = lanes.findIndex(({ bars }) => bars.includes(selected));
  const y = laneTop(lanes, index) + LANE_HEAD + selected.line * LINE + (LINE - BAR) / 2;
  const [left, right] = [Math.max(x(selected.fromMs), GUTTER), x(selected.toMs)];
  context.strokeStyle = colours.text;
  context.lineWidth = 2;
  context.strokeRect(left - 2, y - 2, Math.max(2, right - left) + 4, BAR + 4);
}

function rounded(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  wide: number,
  tall: number,
): void {
  context.beginPath();
  context.roundRect(x, y, wide, tall, Math.min(3, wide / 2));
  context.fill();
}

function cut(context: CanvasRenderingContext2D, text: string, room: number): string {
  const short = text.slice(0, 200);
  if (context.measureText(short).width <= room) return short;
  let size = Math.floor((short.length * room) / context.measureText(short).width);
  while (size > 1 && context.measureText(`${short.slice(0, size)}…`).width > room) size--;
  return size > 1 ? `${short.slice(0, size)}…` : "";
}

/** A step of 1, 2 or 5 times a power of ten that is at least `least` milliseconds. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 0.001)));
  return ([1, 2, 5, 10].find((step) => step * power >= least) ?? 10) * power;
}

function axisText(ms: number, step: number): string {
  if (ms < 60_000)
    return step < 1000 ? `${(ms / 1000).toFixed(step < 100 ? 2 : 1)} s` : `${ms / 1000} s`;
  return clock(ms).replace(/\.\d+$/, "");
}

/** Fits a canvas to its element and the resolution of the screen. */
export function fitCanvas(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
): CanvasRenderingContext2D | undefined {
  const ratio = window.devicePixelRatio || 1;
  const [wide, tall] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide) canvas.width = wide;
  if (canvas.height !== tall) canvas.height = tall;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context?.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context ?? undefined;
}

/** The colours of a canvas, from the style of the page. */
export type CanvasColours = ReturnType<typeof readColours>;

let known: { readonly key: string; readonly colours: CanvasColours } | undefined;

export function canvasColours(): CanvasColours {
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const key = `${document.documentElement.dataset["theme"] ?? ""} ${isDark}`;
  if (known?.key !== key) known = { key, colours: readColours() };
  return known.colours;
}

function readColours() {
  const probe = document.createElement("span");
  document.body.append(probe);
  const colourOf = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const colours = {
    agent: colourOf("agent"),
    tool: colourOf("tool"),
    client: colourOf("client"),
    person: colourOf("person"),
    error: colourOf("error"),
    text: colourOf("text"),
    muted: colourOf("muted"),
    line: colourOf("line"),
    panel: colourOf("panel"),
    accent: colourOf("accent"),
    grid: colourOf("grid"),
  };
  probe.remove();
  return colours;
}
