import type { Environment } from "../../shell/io.ts";

/**
 * Whether the text of a link may stand for its address. A text that looks like another address may
 * not: it would hide where the link leads.
 */
export function isHonest(text: string, address: string): boolean {
  const bare = (value: string): string =>
    value.replace(/^[a-z]+:(?:\/\/)?/i, "").replace(/\/$/, "");
  if (bare(text.trim()) === bare(address)) return true;
  return !/^\s*(?:[a-z][a-z\d+.-]*:|(?:[\w-]+\.)+[a-z]{2,}(?:[/:?#]|\s*$)|\S+@\S+)/i.test(text);
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
