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

/** Runs a login command where a person can answer it, and tells how it ended. */
export type RunLogin = (command: CommandLine) => Promise<ExitStatus>;

/** The method of this id. Throws InvalidArgumentError if the agent does not offer it. */
export function authMethod(methods: readonly AuthMethod[], id: string): AuthMethod {
  const method = methods.find((one) => one.id === id);
  if (method) return method;
  const offered = methods.map((one) => one.id).join(", ") || "none";
  throw new InvalidArgumentError(`the agent offers no login "${id}"; it offers: ${offered}`);
}

/** Whether a method is a command to run, which must never be sent to `authenticate`. */
export function isTerminalMethod(
  method: AuthMethod,
): method is Extract<AuthMethod, { type: "terminal" }> {
  return "type" in method && method.type === "terminal";
}

/** The agent's own command as it is to be run for a login: with the method's arguments and variables added. */
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
  /** The terminal, where that is not this process's own stdin, stdout and stderr. */
  readonly stdio?: StdioOptions;
  /** Ends the command. */
  readonly signal?: AbortSignal;
}

/** Runs a command in this process's own terminal. Rejects with SpawnError if it cannot be started. */
export async function runInTerminal(
  line: CommandLine,
  { stdio = "inherit", signal }: RunInTerminalOptions = {},
): Promise<ExitStatus> {
  const child =
    process.platform === "win32"
      ? await startProcess(line, { stdio })
      : await startInForeground(line, stdio);
  const end = (): void => void child.kill();
  signal?.addEventListener("abort", end, { once: true });
  if (signal?.aborted === true) end();
  return new Promise((resolve) => {
    child.once("exit", (code, signalName) => {
      signal?.removeEventListener("abort", end);
      resolve({ code, signal: signalName });
    });
  });
}

/** Agents lead a process group of their own; a login must not, or it could not use the terminal. */
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
