import { sanitize } from "../../../../base/index.ts";
import { html, type TemplateResult } from "lit-html";

export interface StyledText {
  readonly text: string;
  /** Names of classes, separated by spaces; empty for plain text. */
  readonly style: string;
}

interface Style {
  readonly on: ReadonlySet<string>;
  /** The number of a color from 0 to 7; undefined for the default. */
  readonly front?: number | undefined;
  readonly back?: number | undefined;
}

const PLAIN: Style = { on: new Set() };
/** The styles by the code that switches them on. Another code, greater by 20, switches each off. */
const STYLES = ["", "bold", "dim", "italic", "underline", "", "", "inverse"];
const ESCAPE = "\u001B";
const SGR = new RegExp(`${ESCAPE}\\[([0-9;:]*)m`);

/**
 * Terminal output as pieces with styles. Colors and styles are obeyed, in the eight colors of the page. Every
 * other control sequence stays as visible text.
 */
export function styledText(output: string): readonly StyledText[] {
  const pieces: StyledText[] = [];
  let style: Style = PLAIN;
  // The parts alternate between text and the numbers of a sequence.
  for (const [index, part] of output.split(SGR).entries()) {
    if (index % 2 === 1) style = styleAfter(style, part);
    else if (part !== "") pieces.push({ text: sanitize(part), style: classesOf(style) });
  }
  return pieces;
}

function styleAfter(before: Style, numbers: string): Style {
  let style = before;
  const codes = numbers.split(/[;:]/).map(Number);
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      const { color, used } = extendedColor(codes, at + 1);
      style = { ...style, [code === 38 ? "front" : "back"]: color };
      at += used;
    } else style = applied(style, code);
  }
  return style;
}

function applied(style: Style, code: number): Style {
  if (code === 0) return PLAIN;
  const on = new Set(style.on);
  const name = STYLES[code] ?? STYLES[code - 20] ?? "";
  if (name !== "" && code < 20) on.add(name);
  else on.delete(name);
  // One code ends both.
  if (code === 22) on.delete("bold");
  // Bright colors are 60 higher, and those of the background 10.
  const base = code >= 90 ? code - 60 : code;
  const color = base % 10 < 8 ? base % 10 : undefined;
  if (base >= 30 && base < 40) return { ...style, on, front: color };
  if (base >= 40 && base < 50) return { ...style, on, back: color };
  return { ...style, on };
}

/** Other colors become the nearest of the eight, which are readable in both themes. */
function extendedColor(
  codes: readonly number[],
  at: number,
): { readonly color: number; readonly used: number } {
  if (codes[at] === 2) {
    const [red = 0, green = 0, blue = 0] = codes.slice(at + 1);
    return { color: nearest(red, green, blue), used: 4 };
  }
  const number = codes[at + 1] ?? 0;
  if (number < 16) return { color: number % 8, used: 2 };
  if (number >= 232) return { color: 7, used: 2 };
  const cube = number - 16;
  const part = (value: number): number => (value % 6) * 51;
  const color = nearest(part(Math.floor(cube / 36)), part(Math.floor(cube / 6)), part(cube));
  return { color, used: 2 };
}

function nearest(red: number, green: number, blue: number): number {
  const most = Math.max(red, green, blue);
  const bit = (value: number): number => (most >= 64 && value > most / 2 ? 1 : 0);
  return bit(red) + 2 * bit(green) + 4 * bit(blue);
}

function classesOf({ on, front, back }: Style): string {
  const names = [...on].map((name) => `t-${name}`);
  if (front !== undefined) names.push(`t-f${front}`);
  if (back !== undefined) names.push("t-back");
  return names.join(" ");
}

/** Text with the colors and styles of a terminal. */
export function ansiText(
  text: string,
  asShown = (piece: string): string => piece,
): readonly (TemplateResult | string)[] {
  return styledText(text).map(({ text: piece, style }) =>
    style === "" ? asShown(piece) : html`<span class=${style}>${asShown(piece)}</span>`,
  );
}
