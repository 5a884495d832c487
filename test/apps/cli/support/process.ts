// oxlint-disable no-control-regex -- terminals are driven by control characters
import { expect } from "vitest";
import type { Pty } from "../../../support/pty.ts";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { BuiltBin } from "./bin.ts";
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

/** A run of the real command. */
export interface CliProcess {
  readonly child: ChildProcess;
  /** Resolves when the output contains this text. Rejects if the process ends before. */
  readonly said: (text: string) => Promise<void>;
  /** Its exit code or the signal that ended it, and its output. */
  readonly ended: Promise<{ code: number | string | null; out: string; err: string }>;
}

export interface CliProcessOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The options of Node. */
  readonly node?: readonly string[];
  /** The text on stdin. Without it, stdin is empty. */
  readonly stdin?: string;
  /** Whether stdin stays open, and the file at descriptor 3. */
  readonly stdio?: readonly ("ignore" | "pipe" | number)[];
}

/** Starts the real command in a session of its own, so that it cannot reach the terminal of the test run. */
export function spawnCli(
  bin: BuiltBin,
  folders: Scratch,
  argv: readonly string[],
  { env, node = [], stdin, stdio }: CliProcessOptions = {},
): CliProcess {
  const child = spawn(process.execPath, [...node, bin.file, ...argv], {
    cwd: folders.cwd,
    env: { ...processEnv(folders), ...env },
    detached: true,
    stdio: [...(stdio ?? [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"])],
  });
  if (stdin !== undefined) child.stdin?.end(stdin);
  let [out, err] = ["", ""];
  let check = (): void => {};
  child.stdout?.setEncoding("utf8").on("data", (piece: string) => {
    out += piece;
    check();
  });
  child.stderr?.setEncoding("utf8").on("data", (piece: string) => {
    err += piece;
    check();
  });
  const ended = once(child, "close").then(([code, signal]: (number | string | null)[]) => ({
    code: code ?? signal ?? null,
    out,
    err,
  }));
  const said = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      check = () => {
        if ((out + err).includes(text)) resolve();
      };
      check();
      void ended.then(() => reject(new Error(`ended without "${text}":\n${out}${err}`)));
    });
  return { child, said, ended };
}

/** Matches the agent's "waiting", but not the spinner's. */
export const ANSWERED = /(?<!\S )waiting/;

/**
 * Approximately the text that stays on the screen: without colors, erased lines and redrawn ones, and
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
