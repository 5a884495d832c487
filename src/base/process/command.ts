import { DragomanError } from "../dragoman-error.ts";
import { messageOf } from "../errors.ts";

/** Environment variables by name. A value of `undefined` removes the variable. */
export type EnvOverlay = Readonly<Record<string, string | undefined>>;

/** A command, its arguments, its folder and its environment. */
export interface CommandLine {
  /** The executable: a path, or a name that is looked up on the PATH. */
  readonly command: string;
  /** The arguments. Default: none. */
  readonly args?: readonly string[] | undefined;
  /** Working folder of the process. Default: the working folder of this process. */
  readonly cwd?: string | undefined;
  /** Variables added to, or removed from, the environment that the child inherits. */
  readonly env?: EnvOverlay | undefined;
}

/** Why a command could not be started; `bad-cwd`: its folder is missing or not a folder. */
export type SpawnFailure = "not-found" | "not-executable" | "bad-cwd" | "other";

/** A command could not be started. The message names the command and the reason. */
export class SpawnError extends DragomanError {
  override readonly name = "SpawnError";
  /** Why it could not be started. */
  readonly failure: SpawnFailure;
  readonly command: string;
  /** The folder it was to be started in; undefined for the folder of this process. */
  readonly cwd: string | undefined;

  constructor(failure: SpawnFailure, line: CommandLine, cause: unknown) {
    super("start_failed", describeFailure(failure, line, cause), { cause });
    this.failure = failure;
    this.command = line.command;
    this.cwd = line.cwd;
  }
}

function describeFailure(failure: SpawnFailure, line: CommandLine, cause: unknown): string {
  switch (failure) {
    case "not-found":
      return `cannot start "${line.command}": command not found${argsHint(line)}`;
    case "not-executable":
      return `cannot start "${line.command}": the file exists but cannot be executed`;
    case "bad-cwd":
      return `cannot start "${line.command}": its working folder "${line.cwd}" does not exist or is not a folder`;
    case "other":
      return `cannot start "${line.command}": ${messageOf(cause)}`;
  }
}

function argsHint({ command }: CommandLine): string {
  return /\s/.test(command)
    ? '; "command" is only the program, its arguments belong in "args"'
    : "";
}

/** How a process ended, as Node reports it: exactly one of the two is set. */
export interface ExitStatus {
  /** The exit code; null if a signal ended the process. */
  readonly code: number | null;
  /** The name of the signal, such as `SIGKILL`. */
  readonly signal: string | null;
}

/** Describes how a process ended: `exited with code 3`, `was killed by SIGKILL`. */
export function describeExit(exit: ExitStatus): string {
  return exit.signal === null ? `exited with code ${exit.code}` : `was killed by ${exit.signal}`;
}
