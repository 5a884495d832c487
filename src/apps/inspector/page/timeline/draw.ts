import { html, nothing, svg, type TemplateResult } from "lit-html";
import { clock, duration, line as oneLine } from "../parts/format.ts";
import type { BarKind, Density, TimelineBar, TimelineLane } from "./lanes.ts";
import type { TimeScale } from "./scale.ts";

/** Heights in pixels. */
const AXIS = 26;
export const LANE_HEAD = 24;
export const LINE = 22;
const BAR = 15;
export const GUTTER = 76;
/** The room at the right end. */
const END = 12;

/** A bar with less room has no label. */
const LABEL_PIXELS = 34;

export interface TimelinePicture {
  readonly width: number;
  readonly height: number;
  readonly scale: TimeScale;
  readonly view: readonly [from: number, to: number];
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
  const factor = (width - GUTTER - END) / (view[1] - view[0]);
  return (ms: number): number => GUTTER + (scale.at(ms) - view[0]) * factor;
}

/** Boxes of one color as one element, so that a long session has few of them. */
export class Boxes {
  #path = "";

  add(x: number, y: number, wide: number, tall: number, round = 0): void {
    const r = tenths(Math.min(round, wide / 2));
    const [w, h] = [tenths(wide - 2 * r), tenths(tall - 2 * r)];
    const corner = (toX: number, toY: number): string =>
      r > 0 ? `a${r} ${r} 0 0 1 ${toX} ${toY}` : "";
    this.#path +=
      `M${tenths(x + r)} ${tenths(y)}h${w}${corner(r, r)}v${h}${corner(-r, r)}` +
      `h${-w}${corner(-r, -r)}v${-h}${corner(r, -r)}z`;
  }

  drawn(color: string, opacity = 1): TemplateResult | typeof nothing {
    if (this.#path === "") return nothing;
    return svg`<path d=${this.#path} fill=${`var(--${color})`} opacity=${opacity} />`;
  }
}

/** More digits would only make the path longer. */
function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Boxes by color. */
export class ColoredBoxes {
  readonly #boxes = new Map<string, Boxes>();

  of(color: string): Boxes {
    const known = this.#boxes.get(color) ?? new Boxes();
    this.#boxes.set(color, known);
    return known;
  }

  drawn(): readonly unknown[] {
    return [...this.#boxes].map(([color, boxes]) => boxes.drawn(color));
  }
}

/** A timeline as a picture. */
export function timelinePicture(picture: TimelinePicture): TemplateResult {
  const { width, height, lanes, outside } = picture;
  const top = laneTop(lanes, lanes.length);
  return html`<svg class="picture" width=${width} height=${height} aria-hidden="true">
    <defs>
      <pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse">
        <path d="M0 7L7 0M-1 1L1 -1M6 8L8 6" stroke="var(--line)" />
      </pattern>
    </defs>
    ${drawnAxis(picture)} ${lanes.map((lane, index) => drawnLane(picture, lane, index))}
    ${
      outside
        ? [
            laneTitle("Outside turns", top, width),
            drawnDensity(outside, top + LANE_HEAD, width, "muted"),
          ]
        : nothing
    }
    ${drawnSelection(picture)}
  </svg>`;
}

function drawnText(text: string, x: number, y: number, anchor: string, color: string) {
  return svg`<text x=${x} y=${y} text-anchor=${anchor} fill=${`var(--${color})`}>${text}</text>`;
}

function drawnAxis(picture: TimelinePicture): readonly unknown[] {
  const { width, height, scale, view } = picture;
  const x = xOf(picture);
  const [fromMs, toMs] = [scale.msAt(view[0]), scale.msAt(view[1])];
  const grid = new Boxes();
  const texts: unknown[] = [];
  let last = -100;
  const step = niceStep((view[1] - view[0]) / Math.max(2, (width - GUTTER) / 110));
  for (let ms = Math.ceil(fromMs / step) * step; ms <= toMs; ms += step) {
    const at = x(ms);
    if (at - last < 70 || at < GUTTER || at > width - 30) continue;
    last = at;
    grid.add(Math.round(at), AXIS - 4, 1, height);
    texts.push(drawnText(axisText(ms, step), at, 11, "middle", "muted"));
  }
  const folds = scale.folds.filter(({ from, to }) => to >= view[0] && from <= view[1]);
  return [grid.drawn("grid"), texts, folds.map((fold) => drawnFold(picture, fold))];
}

function drawnFold(
  { width, height, view }: TimelinePicture,
  { from, to, ms }: TimeScale["folds"][number],
): readonly unknown[] {
  const factor = (width - GUTTER - END) / (view[1] - view[0]);
  const left = Math.max(GUTTER, GUTTER + (from - view[0]) * factor);
  const wide = GUTTER + (to - view[0]) * factor - left;
  if (wide <= 0) return [];
  const hatch = svg`<rect x=${left} y=${AXIS} width=${wide} height=${height} fill="url(#hatch)" />`;
  if (wide < 20) return [hatch];
  const middle = Math.max(left + wide / 2, GUTTER + 40);
  return [
    hatch,
    svg`<g class="on-panel">${drawnText(`idle ${duration(ms)}`, middle, AXIS + 12, "middle", "muted")}</g>`,
  ];
}

function drawnLane(
  picture: TimelinePicture,
  lane: TimelineLane,
  index: number,
): readonly unknown[] {
  const { lanes, densities, width } = picture;
  const top = laneTop(lanes, index);
  const first = top + LANE_HEAD;
  const density = densities[index];
  return [
    laneTitle(`Session ${index + 1} · ${oneLine(lane.title)}`, top, width),
    lane.lines.map((name, number) =>
      drawnText(name, GUTTER - 10, first + number * LINE + LINE / 2, "end", "muted"),
    ),
    density ? drawnDensity(density, first + LINE, width, "agent") : nothing,
    drawnBars(picture, lane.bars, first),
  ];
}

function laneTitle(title: string, top: number, width: number): unknown {
  return svg`<rect y=${top} width=${width} height="1" fill="var(--line)" />${drawnText(title, 12, top + LANE_HEAD / 2 + 2, "start", "text")}`;
}

function drawnDensity(
  { fromAgent, fromClient, most }: Density,
  top: number,
  width: number,
  color: string,
): unknown {
  const boxes = new Boxes();
  const columns = fromAgent.length;
  for (let column = 0; column < columns; column++) {
    const sum = (fromAgent[column] ?? 0) + (fromClient[column] ?? 0);
    if (sum === 0) continue;
    const tall = 3 + (BAR - 2) * Math.sqrt(Math.min(1, sum / most));
    const x = GUTTER + (column * (width - GUTTER - END)) / columns;
    boxes.add(x, top + LINE - 4 - tall, 1.5, tall);
  }
  return boxes.drawn(color, 0.75);
}

function drawnBars(
  picture: TimelinePicture,
  bars: readonly TimelineBar[],
  top: number,
): readonly unknown[] {
  const x = xOf(picture);
  const [bases, parts, failed] = [new ColoredBoxes(), new ColoredBoxes(), new Boxes()];
  const marks: unknown[] = [];
  for (const bar of bars) {
    const [left, right] = [x(bar.fromMs), x(bar.toMs)];
    if (right < GUTTER - 2 || left > picture.width) continue;
    const y = top + bar.line * LINE + (LINE - BAR) / 2;
    if (bar.kind === "cancel" || bar.kind === "error") {
      marks.push(drawnMark(left, y, bar.kind));
      continue;
    }
    const from = Math.max(left, GUTTER);
    const wide = Math.max(2, right - from);
    bases.of(bar.kind === "turn" ? "agent" : bar.kind).add(from, y, wide, BAR, 3);
    for (const { cause, fromMs, toMs } of bar.parts ?? []) {
      const [start, end] = [Math.max(x(fromMs), GUTTER), x(toMs)];
      if (end > start) parts.of(cause).add(start, y, Math.max(1, end - start), BAR);
    }
    if (bar.isFailed === true) failed.add(from, y + BAR - 3, wide, 3);
    if (wide >= LABEL_PIXELS)
      // The element around the text cuts it off.
      marks.push(svg`<svg x=${from} y=${y} width=${wide - 5} height=${BAR}>
        <text x="5" y=${BAR / 2 + 0.5} fill="#fff">${oneLine(bar.label).slice(0, 200)}</text>
      </svg>`);
  }
  return [bases.drawn(), parts.drawn(), failed.drawn("error"), marks];
}

/** A cancellation is a square, an error a triangle. */
function drawnMark(x: number, y: number, kind: Extract<BarKind, "cancel" | "error">): unknown {
  const path = kind === "cancel" ? `M${x - 4} ${y + 3}h9v9h-9z` : `M${x} ${y}l7 ${BAR}h-14z`;
  const color = kind === "error" ? "var(--error)" : "var(--text)";
  return svg`<path d=${path} fill=${color} stroke="var(--panel)" stroke-width="2" paint-order="stroke" />`;
}

function drawnSelection(picture: TimelinePicture): readonly unknown[] {
  const { height, selected, selectedMs, lanes } = picture;
  const x = xOf(picture);
  const line = new Boxes();
  if (selectedMs !== undefined && x(selectedMs) >= GUTTER)
    line.add(Math.round(x(selectedMs)), AXIS - 4, 1, height);
  if (!selected) return [line.drawn("accent")];
  const index = lanes.findIndex(({ bars }) => bars.includes(selected));
  const y = laneTop(lanes, index) + LANE_HEAD + selected.line * LINE + (LINE - BAR) / 2;
  const left = Math.max(x(selected.fromMs), GUTTER);
  const wide = Math.max(2, x(selected.toMs) - left) + 4;
  return [
    line.drawn("accent"),
    svg`<rect x=${left - 2} y=${y - 2} width=${wide} height=${BAR + 4} fill="none" stroke="var(--text)" stroke-width="2" />`,
  ];
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
