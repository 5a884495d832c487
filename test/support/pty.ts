import { spawn, spawnSync } from "node:child_process";
import { text } from "node:stream/consumers";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

const helper = fileURLToPath(new URL("pty.py", import.meta.url));

/** Whether this machine can run terminal tests, which need Python and a POSIX system. */
export const hasPty =
  process.platform !== "win32" && spawnSync("python3", ["--version"]).status === 0;

interface PtyEnd {
  /** Negative for a signal, as in Python. */
  readonly code: number;
  /** Whether the terminal settings are the same as before. */
  readonly restored: boolean;
}

export interface Pty {
  /** Everything that the terminal has shown so far. */
  readonly shown: string;
  type(keys: string): void;
  /** Resolves when the pattern appears in the output after the last match. */
  waitFor(pattern: RegExp | string): Promise<void>;
  /** Types once the pattern has appeared. */
  reply(pattern: RegExp | string, keys: string): Promise<void>;
  /** Hangs up the terminal, as closing its window does. `ended` rejects then. */
  hangUp(): void;
  readonly ended: Promise<PtyEnd>;
}

export interface PtyOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly columns?: number;
  readonly rows?: number;
}

/** Runs a command in its own terminal. */
export function openPty(command: readonly string[], options: PtyOptions): Pty {
  const { columns = 80, rows = 24 } = options;
  const child = spawn("python3", [helper, String(columns), String(rows), ...command], {
    cwd: options.cwd,
    env: { ...options.env },
    stdio: ["pipe", "pipe", "inherit", "pipe"],
  });
  let shown = "";
  let seen = 0;
  let check = (): void => {};
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    shown += chunk;
    check();
  });
  const report = child.stdio[3] as Readable;
  const ended = text(report).then((line) => JSON.parse(line) as PtyEnd);
  // After a hang-up there is no report.
  ended.catch(() => {});
  const pty: Pty = {
    get shown() {
      return shown;
    },
    hangUp: () => void child.stdin?.end(),
    type: (keys) => void child.stdin?.write(keys),
    reply: async (pattern, keys) => {
      await pty.waitFor(pattern);
      pty.type(keys);
    },
    waitFor: (pattern) =>
      new Promise((resolve, reject) => {
        check = () => {
          const rest = shown.slice(seen);
          const at = typeof pattern === "string" ? rest.indexOf(pattern) : rest.search(pattern);
          if (at === -1) return;
          const length =
            typeof pattern === "string" ? pattern.length : (pattern.exec(rest)?.[0].length ?? 0);
          seen += at + length;
          check = () => {};
          resolve();
        };
        ended.then(
          () => reject(new Error(`ended before ${String(pattern)}; shown:\n${shown}`)),
          reject,
        );
        check();
      }),
    ended,
  };
  return pty;
}
