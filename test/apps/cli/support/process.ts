// oxlint-disable no-control-regex -- terminals are driven by control characters
import { expect } from "vitest";
import type { Pty } from "../../../support/pty.ts";
import type { Scratch } from "./run.ts";

/** The environment of a real process in these folders. */
export function processEnv({ home }: Scratch) {
  return {
    PATH: process.env["PATH"],
    HOME: home,
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
  };
}

/** Matches the agent's "waiting", but not the spinner's. */
export const ANSWERED = /(?<!\S )waiting/;

/**
 * Approximately the text that stays on the screen: without colours, erased lines and redrawn ones, and
 * without the line that closes a turn, which has a time.
 */
export function visible(shown: string): string {
  return shown
    .replace(/\r\n/g, "\n")
    .replace(/[^\n]*\r\u001b\[K/g, "")
    .replace(/\u001b\[(?:[0-9;]*m|\?2004[hl])/g, "")
    .replace(/^\[done\] \d.*\n/gm, "");
}

/** Leaves a chat at its prompt with Ctrl-D, and expects a clean end. */
export async function leave(pty: Pty): Promise<void> {
  await pty.reply("> ", "\u0004");
  expect(await pty.ended).toEqual({ code: 0, restored: true });
}
