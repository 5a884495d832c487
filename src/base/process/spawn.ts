import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { constants } from "node:fs";
import { access, stat, open } from "node:fs/promises";
import { delimiter, resolve as resolvePath } from "node:path";
import { type CommandLine, type EnvOverlay, type SpawnFailure, SpawnError } from "./command.ts";

interface StartOptions extends SpawnOptions {
  /**
   * The words of a command that replaces itself with the one that follows them. Left out if that one
   * cannot be executed, so that its start fails in the usual way.
   */
  readonly before?: Words | undefined;
}

export type Words = readonly [string, ...string[]];

/**
 * Starts a command and resolves once it runs. Rejects with {@link SpawnError}.
 *
 * On POSIX the child leads its own process group. It can then be ended together with everything it
 * started, and a Ctrl-C in the terminal reaches only the host.
 */
export async function startProcess(
  line: CommandLine,
  { before, ...options }: StartOptions,
  platform: NodeJS.Platform = process.platform,
): Promise<ChildProcess> {
  if (line.cwd !== undefined) await checkFolder(line, line.cwd);
  const env = overlayEnv(line.env, options.env);
  const own: Words = [line.command, ...(line.args ?? [])];
  const canFollow = before && (await isStartable(line.command, line.cwd ?? ".", env["PATH"]));
  const [command, ...args]: Words = canFollow ? [...before, ...own] : own;
  const start = await spawner(platform);
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void => {
      void toSpawnError(line, cause).then(reject);
    };
    try {
      const child = start(command, args, {
        ...options,
        ...(line.cwd === undefined ? {} : { cwd: line.cwd }),
        env,
        detached: platform !== "win32",
        windowsHide: true,
      });
      child.once("spawn", () => resolve(child));
      // This listener stays: the channel reports errors after the start, and an `error` event without
      // a listener would throw.
      child.on("error", fail);
    } catch (error) {
      fail(error);
    }
  });
}

/** A copy of this process's environment with the overlays applied in order. */
export function overlayEnv(...overlays: readonly (EnvOverlay | undefined)[]): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = Object.assign({}, process.env, ...overlays);
  for (const name of Object.keys(env)) if (env[name] === undefined) delete env[name];
  return env;
}

type Spawn = (command: string, args: readonly string[], options: SpawnOptions) => ChildProcess;

/** On Windows, npm installs commands as `.cmd` shims, which only cross-spawn starts safely. */
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

/** Turns the error of a failed start into a {@link SpawnError}. */
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

/** A script whose interpreter is missing also fails with ENOENT, although it exists itself. */
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

/** Whether a path is a file that this user may execute. Never rejects. */
export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/**
 * Whether POSIX finds a command and can execute it: a binary, or a script whose interpreter is there.
 * Never rejects. False without a PATH, for which systems have different defaults.
 */
export async function isStartable(
  command: string,
  cwd: string,
  path: string | undefined,
): Promise<boolean> {
  const folders = command.includes("/") ? [""] : (path?.split(delimiter) ?? []);
  for (const folder of folders) {
    const file = resolvePath(cwd, folder, command);
    if (await isExecutable(file)) return hasLoader(file);
  }
  return false;
}

const HEAD_BYTES = 256;

async function hasLoader(path: string): Promise<boolean> {
  const head = await headOf(path).catch(() => "");
  if (head.startsWith("\x7fELF")) return true;
  const interpreter = /^#![ \t]*(\/\S+)/.exec(head)?.[1];
  return interpreter !== undefined && isExecutable(interpreter);
}

async function headOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.toString("latin1", 0, bytesRead);
  } finally {
    await file.close();
  }
}

export interface CommandWords {
  readonly command: string;
  readonly args: readonly string[];
  /** True if the arguments are already quoted for Windows. */
  readonly verbatim?: boolean | undefined;
}

/** A shell and its flags. The command line is added as the last argument. */
export type Shell = readonly [command: string, ...flags: string[]];

/** Waits until a child process ends. Resolves with its exit code; undefined if a signal ended it. */
export function runChild(
  child: ChildProcess,
  sinks: { readonly stdout: (text: string) => void; readonly stderr: (text: string) => void },
): Promise<number | undefined> {
  child.stdout?.setEncoding("utf8").on("data", sinks.stdout);
  child.stderr?.setEncoding("utf8").on("data", sinks.stderr);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? undefined));
  });
}
