import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";

/** Whether this machine has tmux, a real terminal whose screen a test can read. */
export const hasTmux = process.platform !== "win32" && spawnSync("tmux", ["-V"]).status === 0;

export interface TmuxOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly columns?: number;
  readonly rows?: number;
}

export interface Tmux {
  /** The rows of the screen without trailing blanks. */
  screen(): string;
  /** The rows that have scrolled off the screen, and the screen. */
  everything(): string;
  /** The column and row of the cursor. */
  cursor(): { readonly column: number; readonly row: number };
  /** Types text exactly as it is. */
  type(text: string): void;
  /** Types a line and presses Enter. */
  enter(text: string): void;
  /** Presses keys by the names that tmux has for them, such as `Enter`, `C-c` and `Up`. */
  press(...names: string[]): void;
  /** Resolves when the program's side of the terminal has the new size: tmux waits a little for more changes. */
  resize(columns: number, rows: number): Promise<void>;
  /** Resolves when the screen matches the pattern. */
  waitFor(pattern: RegExp | string): Promise<void>;
  /** Resolves with the exit code of the command when it has ended. */
  ended(): Promise<number>;
  /** Closes the terminal. Resolves when everything that ran in it has ended. */
  close(): Promise<void>;
}

const TIMEOUT = { timeout: 20_000, interval: 20 };

/** Runs a command in a terminal of its own, which has its own tmux server. */
export function openTmux(command: readonly string[], options: TmuxOptions): Tmux {
  const { cwd, env, columns = 80, rows = 24 } = options;
  const folder = mkdtempSync(join(tmpdir(), "dragoman-tmux-"));
  const tmux = (...args: string[]): string =>
    execFileSync("tmux", ["-S", join(folder, "socket"), "-f", "/dev/null", ...args], {
      cwd,
      env: { ...env },
      encoding: "utf8",
    });
  const size = ["-x", String(columns), "-y", String(rows)];
  // A session of its own keeps the server alive until the options are set.
  tmux("new-session", "-d", "-s", "keeper", "cat");
  tmux("set", "-g", "remain-on-exit", "on");
  tmux("set", "-g", "default-terminal", "tmux-256color");
  tmux("new-session", "-d", "-s", "test", ...size, "-c", cwd, ...command);
  // Before the session exists, tmux 3.3a crashes on this.
  tmux("set", "-w", "-t", "test:", "window-size", "manual");
  const capture = (...args: string[]): string =>
    tmux("capture-pane", "-p", "-t", "test:", ...args)
      .split("\n")
      .map((line) => line.trimEnd())
      .join("\n")
      .trimEnd();
  const value = (format: string): string => tmux("display", "-p", "-t", "test:", format).trim();
  const typed = (text: string): void => void tmux("send-keys", "-t", "test:", "-l", text);
  const press = (...names: string[]): void => void tmux("send-keys", "-t", "test:", ...names);
  return {
    screen: () => capture(),
    everything: () => capture("-S", "-"),
    cursor: () => {
      const [column = 0, row = 0] = value("#{cursor_x} #{cursor_y}").split(" ").map(Number);
      return { column, row };
    },
    type: typed,
    press,
    enter: (text) => {
      typed(text);
      press("Enter");
    },
    resize: async (x, y) => {
      tmux("resize-window", "-t", "test:", "-x", String(x), "-y", String(y));
      const tty = value("#{pane_tty}");
      const size = () => spawnSync("stty", ["-F", tty, "size"], { encoding: "utf8" }).stdout;
      await expect.poll(size, TIMEOUT).toBe(`${y} ${x}\n`);
    },
    waitFor: async (pattern) => {
      const matching = typeof pattern === "string" ? pattern : expect.stringMatching(pattern);
      const shown = expect.poll(() => capture(), TIMEOUT);
      await (typeof pattern === "string" ? shown.toContain(pattern) : shown.toEqual(matching));
    },
    ended: async () => {
      await expect.poll(() => value("#{pane_dead}"), TIMEOUT).toBe("1");
      return Number(value("#{pane_dead_status}"));
    },
    close: async () => {
      const running = value("#{pane_tty}");
      tmux("kill-server");
      const left = () =>
        spawnSync("ps", ["-t", running, "-o", "pid="], { encoding: "utf8" }).stdout;
      await expect.poll(left, TIMEOUT).toBe("");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
