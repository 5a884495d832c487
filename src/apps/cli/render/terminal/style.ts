import type { Environment, Output } from "../../shell/io.ts";
import type { ColourChoice } from "../../shell/values.ts";

export type StyleName =
  | "bold"
  | "dim"
  | "italic"
  | "underline"
  | "inverse"
  | "strike"
  | "red"
  | "green"
  | "yellow"
  | "magenta"
  | "cyan";

/** Applies a style to text, or returns the text as it is. */
export type Style = (name: StyleName, text: string) => string;

const CODES: Readonly<Record<StyleName, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  underline: [4, 24],
  inverse: [7, 27],
  strike: [9, 29],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  magenta: [35, 39],
  cyan: [36, 39],
};

/**
 * Whether an output gets colour: `--color` decides, then NO_COLOR (as on no-color.org, every
 * value except the empty one), then FORCE_COLOR (`0` and `false` mean no), then whether it is a terminal with colours.
 */
export function wantsColour(choice: ColourChoice, env: Environment, isTty: boolean): boolean {
  if (choice !== "auto") return choice === "always";
  if ((env["NO_COLOR"] ?? "") !== "") return false;
  const force = env["FORCE_COLOR"];
  if (force !== undefined) return force !== "0" && force !== "false";
  return isTty && env["TERM"] !== "dumb";
}

/** The style function for one output. */
export function styleFor(choice: ColourChoice, env: Environment, output: Output): Style {
  return wantsColour(choice, env, output.isTty) ? ansi : plain;
}

export const plain: Style = (_name, text) => text;

export const ansi: Style = (name, text) => {
  const [on, off] = CODES[name];
  return `\u001b[${on}m${text}\u001b[${off}m`;
};

/** The facts that decide whether answers are rendered. */
export interface MarkdownChoice {
  /** Whether `--raw` was given. */
  readonly raw: boolean;
  /** The setting `markdown`; undefined if the settings do not say. */
  readonly setting: boolean | undefined;
  readonly env: Environment;
  readonly output: Pick<Output, "isTty">;
}

/**
 * Whether the answer is rendered as Markdown: only on a terminal that understands control sequences. A
 * pipe gets exactly the bytes of the agent.
 */
export function rendersMarkdown({ raw, setting, env, output }: MarkdownChoice): boolean {
  return output.isTty && !raw && setting !== false && env["TERM"] !== "dumb";
}
