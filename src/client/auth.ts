import { spawn, type ChildProcess, type StdioOptions } from "node:child_process";
import type { AuthMethod } from "../acp/index.ts";
import {
  type CommandLine,
  type ExitStatus,
  overlayEnv,
  SpawnError,
  startProcess,
} from "../wire/index.ts";
import { InvalidArgumentError } from "./errors.ts";

/**
 * Runs a login command where the user can interact with it. Resolves with how it exited. Ends the
 * command when the signal is aborted.
 */
export type RunLogin = (
  command: CommandLine,
  options: { readonly signal?: AbortSignal | undefined },
) => Promise<ExitStatus>;

/** Finds the login method with this id. Throws InvalidArgumentError if the agent does not offer it. */
export function authMethod(methods: readonly AuthMethod[], id: string): AuthMethod {
  const method = methods.find((candidate) => candidate.id === id);
  if (method) return method;
  const offered = methods.map((offer) => offer.id).join(", ") || "none";
  throw new InvalidArgumentError(
    `the agent does not offer the login "${id}"; it offers: ${offered}`,
  );
}

/** Whether a method is a command to run. Such a method must never be sent to `authenticate`. */
export function isTerminalMethod(
  method: AuthMethod,
): method is Extract<AuthMethod, { type: "terminal" }> {
  return "type" in method && method.type === "terminal";
}

/** The command to run for a login: the agent's own, plus the method's arguments and variables. */
export function loginCommand(
  agent: CommandLine,
  method: Extract<AuthMethod, { type: "terminal" }>,
): CommandLine {
  return {
    command: agent.command,
    args: [...(agent.args ?? []), ...(method.args ?? [])],
    ...(agent.cwd === undefined ? {} : { cwd: agent.cwd }),
    env: { ...agent.env, ...method.env },
  };
}

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
