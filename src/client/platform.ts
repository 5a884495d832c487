import { spawn, type ChildProcess, type StdioOptions } from "node:child_process";
import { resolve } from "node:path";
import {
  type CommandLine,
  overlayEnv,
  SpawnError,
  startProcess,
  type ExitStatus,
} from "../base/index.ts";
import { type Channel, openProcess, type ProcessOptions } from "../transport/wire/index.ts";

/*
 * The parts of the client that need more than the language and the web platform. The build for browsers
 * has `platform.browser.ts` in place of this file.
 */

/** Starts an agent. Rejects with SpawnError. */
export function openCommand(options: ProcessOptions): Promise<Channel> {
  return openProcess(options);
}

export function absolutePath(path: string): string {
  return resolve(path);
}

/** How to run a command in a terminal. */
export interface RunInTerminalOptions {
  /** The terminal to use. Default: this process's own stdin, stdout and stderr. */
  readonly stdio?: StdioOptions | undefined;
  /** Kills the command when aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs a command in this process's own terminal. Rejects with SpawnError if it cannot start. */
export async function runInTerminal(
  line: CommandLine,
  { stdio = "inherit", signal }: RunInTerminalOptions = {},
): Promise<ExitStatus> {
  const child =
    process.platform === "win32"
      ? await startProcess(line, { stdio })
      : await startInForeground(line, stdio);
  const kill = (): void => void child.kill();
  signal?.addEventListener("abort", kill, { once: true });
  if (signal?.aborted === true) kill();
  return new Promise((resolve) => {
    child.once("exit", (code, signalName) => {
      signal?.removeEventListener("abort", kill);
      resolve({ code, signal: signalName });
    });
  });
}

/** Agents run in their own process group. A login must not, or it could not use the terminal. */
function startInForeground(line: CommandLine, stdio: StdioOptions): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    const child = spawn(line.command, [...(line.args ?? [])], {
      stdio,
      env: overlayEnv(line.env),
      ...(line.cwd === undefined ? {} : { cwd: line.cwd }),
    });
    child.once("spawn", () => resolve(child));
    child.once("error", (error) => {
      const missing = "code" in error && error.code === "ENOENT";
      reject(new SpawnError(missing ? "not-found" : "other", line, error));
    });
  });
}
