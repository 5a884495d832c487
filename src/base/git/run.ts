import { spawn } from "node:child_process";
import { type EnvOverlay, runChild } from "../index.ts";

/** Git answered with an error. */
export class GitError extends Error {
  override readonly name = "GitError";
  /** Everything that git wrote to stderr. */
  readonly stderr: string;

  constructor(args: readonly string[], stderr: string) {
    super(`git ${args[0] ?? ""} failed: ${lastLine(stderr)}`);
    this.stderr = stderr;
  }
}

/** Git is not installed. */
export class GitNotFoundError extends Error {
  override readonly name = "GitNotFoundError";

  constructor() {
    super("git was not found");
  }
}

export interface GitOptions {
  readonly env: EnvOverlay;
  readonly cwd: string;
  /** Options before the command. */
  readonly before?: readonly string[] | undefined;
  /** Variables for this call only. */
  readonly set?: EnvOverlay | undefined;
  /** Ends git when aborted. */
  readonly signal?: AbortSignal | undefined;
  /** How much of the output is kept; git is ended when there is more. Default: 16 Mi characters. */
  readonly maxChars?: number | undefined;
}

const MAX_OUTPUT = 16 * 1024 * 1024;
const MAX_STDERR = 10_000;

/** Hooks could change the user's files or wait for something. A snapshot needs an index in one part. */
const ALWAYS = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.splitIndex=false",
].flatMap((setting) => ["-c", setting]);

/**
 * Runs git and resolves with its stdout. Git gets a separate process group, so that a Ctrl-C in the terminal
 * cannot end it halfway. Rejects with GitError, or with GitNotFoundError.
 */
export async function git(args: readonly string[], options: GitOptions): Promise<string> {
  const { env, cwd, before = [], set = {}, signal, maxChars = MAX_OUTPUT } = options;
  signal?.throwIfAborted();
  const child = spawn("git", [...ALWAYS, ...before, ...args], {
    cwd,
    env: { ...withoutGitVariables(env), LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", ...set },
    stdio: ["ignore", "pipe", "pipe"],
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  const end = (): void => void child.kill();
  signal?.addEventListener("abort", end, { once: true });
  let out = "";
  let err = "";
  try {
    const code = await runChild(child, {
      stdout: (text) => {
        if (out.length <= maxChars) out += text;
        else end();
      },
      stderr: (text) => {
        if (err.length < MAX_STDERR) err += text;
      },
    });
    signal?.throwIfAborted();
    if (code !== 0 && out.length <= maxChars) throw new GitError(args, err);
    return out.slice(0, maxChars);
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    throw isMissing ? new GitNotFoundError() : error;
  } finally {
    signal?.removeEventListener("abort", end);
  }
}

/**
 * The variables that tie git to one repository. A hook of git sets them, and they would lead git, and the
 * agents, from their worktree back to the user's files.
 */
const LOCAL_VARIABLES = [
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_COMMON_DIR",
  "GIT_NAMESPACE",
  "GIT_PREFIX",
  "GIT_CEILING_DIRECTORIES",
];

/** An environment in which git finds the repository of its folder. Pure. */
export function withoutGitVariables(env: EnvOverlay): EnvOverlay {
  return { ...env, ...Object.fromEntries(LOCAL_VARIABLES.map((name) => [name, undefined])) };
}

/** The last line of a text that is not blank. Pure. */
function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1)?.trim() ?? "";
}
