import { spawn } from "node:child_process";
import { CliError, usageError } from "../exit.ts";
import { hasCode, type Environment } from "../io.ts";
import { runChild } from "../connect/child.ts";

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

export interface GitOptions {
  readonly env: Environment;
  readonly cwd: string;
  /** Variables for this call only. */
  readonly set?: Readonly<Record<string, string>>;
  /** Ends git when aborted. */
  readonly signal?: AbortSignal | undefined;
  /** How much of the output is kept; git is ended when there is more. Default: 16 Mi characters. */
  readonly maxChars?: number;
}

const MAX_OUTPUT = 16 * 1024 * 1024;
const MAX_STDERR = 10_000;

/** Hooks could change the user's files or wait for something. */
const NO_HOOKS = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"];

/**
 * Runs git and resolves with its stdout. Git is in its own process group, so that a Ctrl-C in the terminal
 * cannot end it halfway. Rejects with GitError, or with a CliError if git is not installed.
 */
export async function git(args: readonly string[], options: GitOptions): Promise<string> {
  const { env, cwd, set = {}, signal, maxChars = MAX_OUTPUT } = options;
  signal?.throwIfAborted();
  const child = spawn("git", [...NO_HOOKS, ...args], {
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
    if (!hasCode(error, "ENOENT")) throw error;
    throw new CliError("cannotStart", { what: "compare needs git, and git was not found" });
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

/** An environment in which git finds the repository of its folder. */
export function withoutGitVariables(env: Environment): Environment {
  return { ...env, ...Object.fromEntries(LOCAL_VARIABLES.map((name) => [name, undefined])) };
}

/** The repository of a folder. */
export interface Repository {
  /** The top folder of the user's working tree. */
  readonly root: string;
  /** The commit that the agents start from. */
  readonly base: string;
}

/** The repository of a folder. Throws a usage error if the folder is in none, or if it has no commit. */
export async function repositoryOf(options: GitOptions): Promise<Repository> {
  const root = await git(["rev-parse", "--show-toplevel"], options).catch(
    orUsage("compare needs a git repository", "git init, and a first commit"),
  );
  const base = await git(["rev-parse", "--verify", "HEAD^{commit}"], options).catch(
    orUsage("compare needs a commit that the agents can start from", "git commit"),
  );
  return { root: root.replace(/\n$/, ""), base: base.trim() };
}

function orUsage(what: string, hint: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof GitError ? usageError(what, hint) : error;
  };
}

const SHOWN_PATHS = 3;

/** Throws a usage error if there are changes that are not committed: the agents would not see them. */
export async function checkClean(root: string, options: GitOptions): Promise<void> {
  const args = ["--no-optional-locks", "status", "--porcelain", "-z", "--no-renames"];
  const entries = (await git(args, { ...options, cwd: root })).split("\0").filter(Boolean);
  if (entries.length === 0) return;
  const paths = entries.slice(0, SHOWN_PATHS).map((entry) => entry.slice(3));
  const rest = entries.length - paths.length;
  throw usageError(
    `compare needs a committed tree, and these are not committed: ${paths.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`,
    "git commit, or git stash -u",
  );
}

/** The last line of a text that is not blank. */
export function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1)?.trim() ?? "";
}
