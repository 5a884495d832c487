import type { Environment, Output, Io } from "../../shell/io.ts";
import type { ColorChoice } from "../../shell/option-values.ts";

const CODES = {
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
} as const;

export type StyleName = keyof typeof CODES;

/** Applies a style to text, or returns the text as it is. */
export type Style = (name: StyleName, text: string) => string;

/** How text for people looks on an output. */
export interface TextView {
  /** The width of the terminal; undefined if the text goes elsewhere. */
  readonly columns: number | undefined;
  readonly style: Style;
}

/**
 * Whether an output gets color: `--color` decides, then NO_COLOR (as on no-color.org, every
 * value except the empty one), then FORCE_COLOR (`0` and `false` mean no), then whether it is a terminal with colors.
 */
export function wantsColor(choice: ColorChoice, env: Environment, isTty: boolean): boolean {
  if (choice !== "auto") return choice === "always";
  if ((env["NO_COLOR"] ?? "") !== "") return false;
  const force = env["FORCE_COLOR"];
  if (force !== undefined) return force !== "0" && force !== "false";
  return isTty && env["TERM"] !== "dumb";
}

export function styleFor(choice: ColorChoice, env: Environment, output: Output): Style {
  return wantsColor(choice, env, output.isTty) ? ansi : plain;
}

export const plain: Style = (_name, text) => text;

export const ansi: Style = (name, text) => {
  const [on, off] = CODES[name];
  return `\u001b[${on}m${text}\u001b[${off}m`;
};

/**
 * Whether the answer is rendered as Markdown: only on a terminal that understands control sequences. A
 * pipe gets exactly the bytes of the agent. `setting` is that of the user, if there is one.
 */
export function rendersMarkdown({
  raw,
  setting,
  env,
  output,
}: {
  readonly raw: boolean;
  readonly setting: boolean | undefined;
  readonly env: Environment;
  readonly output: Pick<Output, "isTty">;
}): boolean {
  return output.isTty && !raw && setting !== false && env["TERM"] !== "dumb";
}

/** The lowest version of a terminal that shows links. */
const VTE = 5000;

const TMUX = 3.4;

const PROGRAMS = new Set(["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio"]);

const TERMS = /^(?:xterm-kitty|xterm-ghostty|alacritty|foot|contour|wezterm)/;

/** Whether a terminal is known to understand links. Others may print the address as text. */
export function showsLinks(env: Environment): boolean {
  const forced = env["FORCE_HYPERLINK"];
  if (forced !== undefined) return forced !== "0";
  const program = env["TERM_PROGRAM"] ?? "";
  if (program === "tmux") return Number.parseFloat(env["TERM_PROGRAM_VERSION"] ?? "0") >= TMUX;
  if (env["TMUX"] !== undefined || env["STY"] !== undefined) return false;
  return (
    PROGRAMS.has(program) ||
    TERMS.test(env["TERM"] ?? "") ||
    Number(env["VTE_VERSION"] ?? 0) >= VTE ||
    env["WT_SESSION"] !== undefined ||
    env["KONSOLE_VERSION"] !== undefined
  );
}

/** Whether a terminal understands no control sequences. */
export function isDumbTerminal({ env }: Pick<Io, "env">): boolean {
  return env["TERM"] === "dumb";
}
