import { sanitise } from "../../../wire/index.ts";

/** A piece of terminal output with one style. */
export interface StyledText {
  readonly text: string;
  /** Names of classes, separated by spaces; empty for plain text. */
  readonly style: string;
}

interface Style {
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  inverse: boolean;
  /** The number of a colour from 0 to 15; -1 for the default. */
  front: number;
  back: number;
}

const PLAIN: Style = {
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  inverse: false,
  front: -1,
  back: -1,
};
const ESCAPE = "\u001B";
const SGR = new RegExp(`${ESCAPE}\\[([0-9;:]*)m`);

/**
 * Terminal output as pieces with styles. Colours and styles are obeyed, in the 16 colours of the page. Every
 * other control sequence stays as visible text.
 */
export function styledText(output: string): readonly StyledText[] {
  const pieces: StyledText[] = [];
  let style: Style = PLAIN;
  // The parts alternate between text and the numbers of a sequence.
  for (const [index, part] of output.split(SGR).entries()) {
    if (index % 2 === 1) style = styleAfter(style, part);
    else if (part !== "") pieces.push({ text: sanitise(part), style: classesOf(style) });
  }
  return pieces;
}

function styleAfter(before: Style, numbers: string): Style {
  const style = { ...before };
  const codes = numbers.split(/[;:]/).map(Number);
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      const { colour, used } = extendedColour(codes, at + 1);
      if (code === 38) style.front = colour;
      else style.back = colour;
      at += used;
    } else apply(style, code);
  }
  return style;
}

function apply(style: Style, code: number): void {
  if (code === 0) Object.assign(style, PLAIN);
  else if (code === 1) style.bold = true;
  else if (code === 2) style.dim = true;
  else if (code === 3) style.italic = true;
  else if (code === 4) style.underline = true;
  else if (code === 7) style.inverse = true;
  else if (code === 22) Object.assign(style, { bold: false, dim: false });
  else if (code === 23) style.italic = false;
  else if (code === 24) style.underline = false;
  else if (code === 27) style.inverse = false;
  else if (code === 39) style.front = -1;
  else if (code === 49) style.back = -1;
  else if (code >= 30 && code < 38) style.front = code - 30;
  else if (code >= 40 && code < 48) style.back = code - 40;
  else if (code >= 90 && code < 98) style.front = code - 82;
  else if (code >= 100 && code < 108) style.back = code - 92;
}

/** Colours beyond the first 16 become the nearest of these, which are readable in both themes. */
function extendedColour(
  codes: readonly number[],
  at: number,
): { readonly colour: number; readonly used: number } {
  if (codes[at] === 2) {
    const [red = 0, green = 0, blue = 0] = codes.slice(at + 1);
    return { colour: nearest(red, green, blue), used: 4 };
  }
  const number = codes[at + 1] ?? 0;
  if (number < 16) return { colour: number, used: 2 };
  if (number >= 232) return { colour: number < 244 ? 8 : 7, used: 2 };
  const cube = number - 16;
  const part = (value: number): number => (value % 6) * 51;
  const colour = nearest(part(Math.floor(cube / 36)), part(Math.floor(cube / 6)), part(cube));
  return { colour, used: 2 };
}

function nearest(red: number, green: number, blue: number): number {
  const most = Math.max(red, green, blue);
  if (most < 64) return 0;
  const bit = (value: number): number => (value > most / 2 ? 1 : 0);
  const hue = bit(red) + 2 * bit(green) + 4 * bit(blue);
  return most > 200 ? hue + 8 : hue;
}

function classesOf(style: Style): string {
  const { bold, dim, italic, underline, inverse, front, back } = style;
  return [
    bold ? "t-bold" : "",
    dim ? "t-dim" : "",
    italic ? "t-italic" : "",
    underline ? "t-underline" : "",
    inverse ? "t-inverse" : "",
    front >= 0 ? `t-f${front % 8}` : "",
    back >= 0 ? "t-back" : "",
  ]
    .filter((name) => name !== "")
    .join(" ");
}
