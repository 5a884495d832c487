import type { Preferences } from "../settings/keys.ts";
import type { Environment, Io } from "../shell/io.ts";
import { sanitizeLine } from "../../../base/index.ts";
import { isDumbTerminal } from "../render/terminal/style.ts";

/** Shorter turns need no notification: the user is still looking. */
const LONG_TURN_MS = 30_000;

/**
 * The control sequence that tells the user about the end of a long turn; empty if the settings, the
 * terminal or the length of the turn say otherwise. Pure.
 */
export function notification(
  {
    io,
    preferences,
  }: {
    readonly io: Pick<Io, "env" | "stderr">;
    readonly preferences: Pick<Preferences, "notifications">;
  },
  turn: { readonly agent: string; readonly durationMs: number },
): string {
  if (preferences.notifications !== true || turn.durationMs < LONG_TURN_MS) return "";
  if (!io.stderr.isTty || isDumbTerminal(io)) return "";
  const seconds = Math.round(turn.durationMs / 1000);
  // A semicolon would end the text in the eyes of some terminals.
  const agent = sanitizeLine(turn.agent).replaceAll(";", ",");
  const text = `${agent} has finished after ${seconds} s`;
  switch (notificationStyle(io.env)) {
    case "osc9":
      return `\u001b]9;${text}\u0007`;
    case "osc777":
      return `\u001b]777;notify;Dragoman;${text}\u001b\\`;
    case "bell":
      return "\u0007";
  }
}

/** The kind of notification that a terminal shows. All of them know the bell. */
function notificationStyle(env: Environment): "osc9" | "osc777" | "bell" {
  // A multiplexer passes only the bell on.
  if ((env["TMUX"] ?? env["STY"] ?? "") !== "") return "bell";
  const term = env["TERM"] ?? "";
  const program = env["TERM_PROGRAM"] ?? "";
  if (["iTerm.app", "WezTerm", "ghostty"].includes(program) || term === "xterm-kitty")
    return "osc9";
  return /^(?:foot|rxvt-unicode)/.test(term) ? "osc777" : "bell";
}
