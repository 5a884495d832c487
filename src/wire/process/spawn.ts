import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { resolve as resolvePath } from "node:path";

/** Names to values; a value of `undefined` takes the name away. */
export type EnvOverlay = Readonly<Record<string, string | undefined>>;

export interface CommandLine {
  readonly command: string;
  readonly args?: readonly string[];
  /** Where the process starts; this process's own folder unless told. */
  readonly cwd?: string;
  /** Laid over this process's environment for the child alone. */
  readonly env?: EnvOverlay;
}

export type SpawnFailure = "not-found" | "not-executable" | "bad-cwd" | "other";

/** A command could not be started. The message names it and says why. */
export class SpawnError extends Error {
  override readonly name = "SpawnError";
  readonly failure: SpawnFailure;
  readonly command: string;
  readonly cwd: string | undefined;

  constructor(failure: SpawnFailure, line: CommandLine, cause: unknown) {
    super(describeFailure(failure, line, cause), { cause });
    this.failure = failure;
    this.command = line.command;
    this.cwd = line.cwd;
  }
}

/**
 * Starts a command and resolves once it runs. Rejects with {@link SpawnError}.
 *
 * On POSIX the child leads a process group of its own, so that it can be ended with everything it
 * started, and so that a Ctrl-C in the terminal is the host's to handle.
 */
export async function startProcess(
  line: CommandLine,
  options: SpawnOptions,
  platform: NodeJS.Platform = process.platform,
): Promise<ChildProcess> {
  if (line.cwd !== undefined) await checkFolder(line, line.cwd);
  const start = await spawner(platform);
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void => {
      void toSpawnError(line, cause).then(reject);
    };
    try {
      const child = start(line.command, [...(line.args ?? [])], {
        ...options,
        ...(line.cwd === undefined ? {} : { cwd: line.cwd }),
        env: overlayEnv(line.env, options.env),
        detached: platform !== "win32",
        windowsHide: true,
      });
      child.once("spawn", () => resolve(child));
      // It stays: what fails after the start is told by the channel, and must not go unheard.
      child.on("error", fail);
    } catch (error) {
      fail(error);
    }
  });
}

/** This process's environment with the overlays laid over it, in order; nothing leaks back. */
export function overlayEnv(...overlays: readonly (EnvOverlay | undefined)[]): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = Object.assign({}, process.env, ...overlays);
  for (const name of Object.keys(env)) if (env[name] === undefined) delete env[name];
  return env;
}

type Spawn = (command: string, args: readonly string[], options: SpawnOptions) => ChildProcess;

/** npm installs commands on Windows as `.cmd` shims, which only cross-spawn starts safely. */
async function spawner(platform: NodeJS.Platform): Promise<Spawn> {
  if (platform !== "win32") return spawn;
  const { default: crossSpawn } = await import("cross-spawn");
  return (command, args, options) => crossSpawn(command, args, options);
}

async function checkFolder(line: CommandLine, cwd: string): Promise<void> {
  try {
    if ((await stat(cwd)).isDirectory()) return;
  } catch (cause) {
    throw new SpawnError("bad-cwd", line, cause);
  }
  throw new SpawnError("bad-cwd", line, new Error("not a folder"));
}

/** What a failure to start says about the command. */
export async function toSpawnError(line: CommandLine, cause: unknown): Promise<SpawnError> {
  return new SpawnError(await spawnFailureOf(line, cause), line, cause);
}

async function spawnFailureOf(line: CommandLine, cause: unknown): Promise<SpawnFailure> {
  switch (errorCode(cause)) {
    case "ENOENT":
      return (await isPresentButUnusable(line)) ? "not-executable" : "not-found";
    case "EACCES":
    case "ENOEXEC":
    case "EPERM":
      return "not-executable";
    default:
      return "other";
  }
}

/** A script whose interpreter is missing fails with ENOENT too, though the file itself is there. */
async function isPresentButUnusable({ command, cwd = "." }: CommandLine): Promise<boolean> {
  if (!command.includes("/")) return false;
  return access(resolvePath(cwd, command), constants.F_OK).then(
    () => true,
    () => false,
  );
}

function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return String(error.code);
}

function describeFailure(failure: SpawnFailure, line: CommandLine, cause: unknown): string {
  switch (failure) {
    case "not-found":
      return `cannot start "${line.command}": command not found`;
    case "not-executable":
      return `cannot start "${line.command}": it is there but cannot be executed`;
    case "bad-cwd":
      return `cannot start "${line.command}": its working folder "${line.cwd}" is not a folder that exists`;
    case "other":
      return `cannot start "${line.command}": ${cause instanceof Error ? cause.message : String(cause)}`;
  }
}
